"""The offline caller: on published question and call pairs, leave one out, and on our own held-out phrasings.

The packaged phrasings were written by people who had read the published pairs; those near to a pair were
taken out. The held-out phrasings are by the same hand as the packaged ones, but were written after them;
while the caller was made, only their totals were looked at. Other people's wording will fare worse.
"""

import asyncio
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from bench.figures import DATA, Figure
from bench.questions.calls import elsewhere, generated, rows_of, write_rows
from fathom.biotools.callers import OfflineCaller
from fathom.biotools.catalogue import endpoints
from fathom.biotools.client import Client, ClientOptions
from fathom.biotools.live import LiveTools
from fathom.biotools.loopback import Loopback
from fathom.evaluation.calls import evaluate_calls
from fathom.evaluation.metrics import calibration, calibration_error
from fathom.evaluation.runs.options import RunOptions
from fathom.evaluation.runs.record import CallRecord, QuestionRecord
from fathom.evaluation.runs.run import Run

TITLE = "From a question to a call of a biomedical API, without a model"
PUBLISHED = DATA.parent / "specs" / "biotool_examples.json"
QUICK = {"eutils": 2000.0, "blast": 2000.0, "uniprot": 2000.0, "ensembl": 2000.0}
PARTS = 5


@contextmanager
def served() -> Iterator[tuple[LiveTools, Path]]:
    """The real client over the loopback server, and a folder to write to."""
    with tempfile.TemporaryDirectory() as folder, Loopback() as server:
        options = ClientOptions(
            Path(folder) / "client", server.bases, QUICK, poll_seconds=0.01, least_wait_seconds=0.01
        )
        tools = LiveTools(Client(options))
        yield tools, Path(folder)
        tools.close()


def calls_of(run: Run) -> list[tuple[QuestionRecord, CallRecord]]:
    """The records of a run, each with its call held against gold."""
    return [(record, record.call) for record in run.records() if record.call is not None]


def calibration_figure(label: str, run: Run, whole: str) -> Figure:
    """How far the stated confidence is from the share of calls that are right in everything."""
    calls = calls_of(run)
    sure = [record.confidence or 0.0 for record, _ in calls]
    bins = calibration(sure, [call.right_arguments for _, call in calls], bins=PARTS)
    stated = "; ".join(f"{b.confidence:.2f}: {b.right.value:.2f}" for b in bins)
    error = calibration_error(bins)
    return Figure(
        f"{label}: calibration error, {whole}", f"{error:.3f}", "", None, f"stated: right, by fifths {stated}"
    )


def _share(what: str, hits: int, trials: int, mark: float, note: str = "") -> Figure:
    share = hits / max(trials, 1)
    return Figure(what, f"{hits}/{trials} = {share:.1%}", f">= {mark:.0%}", share >= mark, note)


def _figures(label: str, run: Run, marks: tuple[float, float]) -> Iterable[Figure]:
    counted = run.summary().all["calls"]
    n, made = counted["right_endpoint"]["n"], counted["made"]["hits"]
    yield _share(f"{label}: right endpoint", counted["right_endpoint"]["hits"], n, marks[0])
    yield _share(f"{label}: right endpoint and arguments", counted["right_arguments"]["hits"], n, marks[1])
    of_made = counted["right_endpoint_of_made"]["hits"]
    yield _share(f"{label}: of calls made, right endpoint", of_made, made, 0.8, f"{n - made} declined")
    yield calibration_figure(label, run, "call and all arguments")


def _elsewhere() -> Iterable[Figure]:
    """How many questions that no endpoint answers are declined."""
    caller = OfflineCaller()
    for part, label in (("tuned", "looked at"), ("held_out", "held out")):
        asked = elsewhere(part)
        declined = sum(asyncio.run(caller.propose(question)).call is None for question in asked)
        share = f"{declined}/{len(asked)} = {declined / len(asked):.1%}"
        yield Figure(f"questions about other things, {label}: declined", share)


def _milliseconds(questions: list[str]) -> list[float]:
    """Processor time of each question, by itself: what else runs on the machine doesn't count."""
    caller = OfflineCaller()
    taken = []
    for question in questions:
        began = time.process_time()
        asyncio.run(caller.propose(question))
        taken.append((time.process_time() - began) * 1000)
    return taken


def measure() -> Iterable[Figure]:
    questions = generated()
    assert {q.endpoint for q in questions} == set(endpoints())
    with served() as (tools, folder):
        if PUBLISHED.is_file():
            run = evaluate_calls(
                f"biotool:{PUBLISHED}",
                "offline",
                RunOptions(with_examples=True, out=folder / "published"),
                tools=tools,
            )
            yield from _figures("published pairs, leave one out", run, (0.75, 0.45))
        name = write_rows(rows_of(questions), folder / "phrasings.json")
        run = evaluate_calls(name, "offline", RunOptions(out=folder / "phrasings"), tools=tools)
        yield from _figures("own held-out phrasings", run, (0.85, 0.60))
    yield from _elsewhere()
    taken = _milliseconds([q.question for q in questions])
    slow = float(np.percentile(taken, 99))
    yield Figure(
        "processor time of a question, 99th percentile",
        f"{slow:.1f} ms",
        "<= 50 ms",
        slow <= 50,
        f"median {np.median(taken):.1f} ms",
    )
