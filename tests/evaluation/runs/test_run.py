import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.evaluation.runs.bench import QUESTIONS, make_benchmark
from tests.evaluation.runs.work import divide_by_zero, double_or_die

from fathom.errors import ConfigError, InputError, UnknownName
from fathom.evaluation.outcome import Outcome
from fathom.evaluation.runs.folder import DifferentRun, RunError, RunFolder, RunInUse
from fathom.evaluation.runs.options import RunOptions
from fathom.evaluation.runs.run import Run, RunStopped, evaluate
from fathom.evaluation.runs.scorers import Scorers, WorkerDied
from fathom.methods import Context, Method, step
from fathom.records import Candidate, Draft, Question, Reading, Refusal, Selection


@pytest.fixture
def threads() -> Iterator[Executor]:
    with ThreadPoolExecutor(2) as pool:
        yield pool


@pytest.fixture
def benchmark_file(tmp_path: Path) -> Path:
    return make_benchmark(tmp_path)


def right(question: Question) -> str | None:
    """Right about everything; declines what can't be answered."""
    return None if question.id == "idk" else f"SELECT name FROM gene WHERE id = {question.id[1:]}"


def mixed(question: Question) -> str | None:
    answers: dict[str, Any] = {
        "q3": "SELECT 'no gene'",
        "q4": "SELECT nme FROM gene",
        "q5": "DELETE FROM gene",
        "q6": "",
    }
    if question.id == "q7":
        raise ValueError("boom")
    return answers.get(question.id, right(question))


def test_every_question_gets_its_outcome(benchmark_file: Path, tmp_path: Path, threads: Executor) -> None:
    run = evaluate(benchmark_file, mixed, RunOptions(out=tmp_path / "run", workers=3, executor=threads))
    found = {r.id: r for r in run.records()}
    assert len(found) == QUESTIONS + 1
    assert found["q0"].outcome is Outcome.CORRECT
    assert found["q3"].outcome is Outcome.INCORRECT
    assert (found["q4"].outcome, found["q4"].error_class) == (Outcome.ERROR, "no_such_table_or_column")
    assert found["q5"].outcome is Outcome.ERROR  # a prediction that writes never runs
    assert (found["q6"].error, found["q7"].error) == ("there is no query", "ValueError: boom")
    assert (found["idk"].declined, found["idk"].outcome) == (True, Outcome.CORRECT)
    summary = run.summary().as_json()
    counts = {k: summary[k] for k in ("n", "correct", "incorrect", "error", "declined")}
    assert counts == {"n": 13, "correct": 8, "incorrect": 1, "error": 4, "declined": 1}
    assert summary["correct_rate"] == pytest.approx(8 / 13)
    assert summary["selective_accuracy"] == pytest.approx(7 / 10)
    assert summary["unanswerable_refused"] == 1.0
    assert set(summary["by"]) == {"difficulty", "database", "category"}


def test_what_was_run_is_described(benchmark_file: Path, tmp_path: Path, threads: Executor) -> None:
    run = evaluate(
        benchmark_file,
        right,
        RunOptions(out=tmp_path / "run", executor=threads, settings={"note": 1}, seed=7),
    )
    described = json.loads((run.folder / "run.json").read_text(encoding="utf-8"))
    configuration, start = described["configuration"], described["starts"][0]
    assert configuration["method"] == "right"
    assert configuration["settings"] == {"note": 1}
    assert configuration["seed"] == 7
    assert len(configuration["digest"]) == 64
    assert {"python", "packages", "code", "at"} <= set(start)


@step("selection")
async def select_gene(draft: Draft, context: Context) -> Draft:
    return Draft(**{**_parts(draft), "selection": Selection({"gene": ("name",)})})


@step("generation")
async def propose(draft: Draft, context: Context) -> Draft:
    number = draft.question.id[1:]
    wrong, good = "SELECT chr FROM gene", f"SELECT name FROM gene WHERE id = {number}"
    return Draft(**{**_parts(draft), "candidates": (Candidate(wrong), Candidate(good)), "sql": wrong})


@step("revision")
async def choose(draft: Draft, context: Context) -> Draft:
    unsure = Refusal("unsure") if draft.question.id == "q2" else None
    sql = draft.candidates[1].sql
    return Draft(**{**_parts(draft), "sql": sql, "confidence": 0.75, "refusal": unsure})


def _parts(draft: Draft) -> dict[str, Any]:
    return {name: getattr(draft, name) for name in draft.__dataclass_fields__}


async def torn(question: Question) -> Draft:
    """Sure of nothing: a wrong reading, beside the right one of the first question; none of the second."""
    wrong, readings = Reading("wrong", "SELECT 'no gene'"), []
    if question.id == "q0":
        readings = [Reading("right", "SELECT name FROM gene WHERE id = 0")]
    return Draft(
        question, refusal=Refusal("unsure"), readings=(wrong, *readings) if question.id != "q1" else ()
    )


def test_readings_shown_are_judged_and_counted(
    benchmark_file: Path, tmp_path: Path, threads: Executor
) -> None:
    run = evaluate(benchmark_file, torn, RunOptions(name="torn", out=tmp_path / "run", executor=threads))
    found = {r.id: r for r in run.records()}
    assert [j.outcome for j in found["q0"].shown] == [Outcome.INCORRECT, Outcome.CORRECT]
    assert [j.outcome for j in found["idk"].shown] == [Outcome.INCORRECT]
    assert (found["q1"].shown, found["q1"].declined) == ((), True)
    summary = run.summary().as_json()
    assert summary["counts"]["right_among_shown"] == [1, QUESTIONS]
    assert summary["counts"]["unanswerable_shown"] == [1, 1]


async def refuse_idk(draft: Draft, context: Context) -> Draft:
    if draft.question.id == "idk":
        return Draft(**{**_parts(draft), "refusal": Refusal("not in the data")})
    return draft


def test_a_methods_modules_are_measured(benchmark_file: Path, tmp_path: Path, threads: Executor) -> None:
    method = Method("toy", (step("selection")(refuse_idk), select_gene, propose, choose))
    run = evaluate(benchmark_file, method, RunOptions(out=tmp_path / "run", executor=threads))
    summary = run.summary().as_json()
    assert summary["method"] == "toy"
    assert summary["generation"]["pass_at"]["1"]["value"] == 0.0
    assert summary["generation"]["pass_at"]["5"]["hits"] == QUESTIONS
    assert summary["revision"]["I2C"] == {**summary["revision"]["I2C"], "hits": QUESTIONS, "n": QUESTIONS}
    assert summary["revision"]["CI"] is None  # nothing was correct before
    assert summary["selection"]["column_recall"]["value"] == 0.5  # `id` is needed too
    assert summary["selection"]["table_f1"]["value"] == 1.0
    assert set(summary["usage"]) == {"selection", "generation", "revision", "total"}
    record = next(r for r in run.records() if r.id == "q2")
    # A question declined still has its best guess judged.
    assert (record.declined, record.refusal, record.outcome) == (True, "unsure", Outcome.CORRECT)
    assert [s["name"] for s in record.trace] == ["refuse_idk", "select_gene", "propose", "choose"]


def test_async_callables_are_asked_together(benchmark_file: Path, tmp_path: Path, threads: Executor) -> None:
    import asyncio

    most = now = 0

    async def slow(question: Question) -> str | None:
        nonlocal most, now
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.02)
        now -= 1
        return right(question)

    run = evaluate(benchmark_file, slow, RunOptions(out=tmp_path / "run", workers=4, executor=threads))
    assert run.summary().all["correct"] == QUESTIONS + 1
    assert 1 < most <= 4


def test_a_second_call_asks_nothing_again(benchmark_file: Path, tmp_path: Path, threads: Executor) -> None:
    asked: list[str] = []

    def counting(question: Question) -> str | None:
        asked.append(question.id)
        return right(question)

    first = evaluate(benchmark_file, counting, RunOptions(out=tmp_path / "run", limit=5, executor=threads))
    assert first.summary().all["n"] == 5
    evaluate(
        benchmark_file, counting, RunOptions(out=tmp_path / "run", executor=threads)
    )  # a greater limit goes on
    again = evaluate(benchmark_file, counting, RunOptions(out=tmp_path / "run", executor=threads))
    assert again.summary().all["n"] == QUESTIONS + 1
    assert max(Counter(asked).values()) == 1


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"limit": 3}, "limit: 8 there, 3 now"),
        ({"comparison": "bird"}, "comparison: 'semantic' there, 'bird' now"),
        ({"settings": {"k": 2}}, "settings"),
        ({"seed": 1}, "seed: 0 there, 1 now"),
        ({"method": mixed}, "method: 'right' there, 'mixed' now"),
    ],
)
def test_a_folder_of_another_run_is_refused(
    benchmark_file: Path, tmp_path: Path, threads: Executor, change: dict[str, Any], told: str
) -> None:
    options = RunOptions(limit=8, out=tmp_path / "run", executor=threads)
    evaluate(benchmark_file, right, options)
    before = (tmp_path / "run" / "records.jsonl").read_bytes()
    other = {name: value for name, value in change.items() if name != "method"}
    with pytest.raises(DifferentRun, match=told):
        evaluate(benchmark_file, change.get("method", right), replace(options, **other))
    assert (tmp_path / "run" / "records.jsonl").read_bytes() == before


def test_a_changed_benchmark_is_another_run(benchmark_file: Path, tmp_path: Path, threads: Executor) -> None:
    evaluate(benchmark_file, right, RunOptions(out=tmp_path / "run", executor=threads))
    text = benchmark_file.read_text(encoding="utf-8")
    benchmark_file.write_text(text.replace("called", "named"), encoding="utf-8")
    with pytest.raises(DifferentRun, match="digest"):
        evaluate(benchmark_file, right, RunOptions(out=tmp_path / "run", executor=threads))


def test_two_processes_never_write_one_folder(
    benchmark_file: Path, tmp_path: Path, threads: Executor
) -> None:
    seen: list[Exception] = []

    def and_again(question: Question) -> str | None:
        try:
            evaluate(benchmark_file, and_again, RunOptions(out=tmp_path / "run", executor=threads))
        except RunInUse as error:
            seen.append(error)
        return right(question)

    evaluate(benchmark_file, and_again, RunOptions(out=tmp_path / "run", limit=1, executor=threads))
    assert len(seen) == 1


def test_wrong_names_are_told(benchmark_file: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="no method 'offlin'"):
        evaluate(benchmark_file, "offlin", RunOptions(out=tmp_path / "run"))
    with pytest.raises(ConfigError, match="asks no language model"):
        evaluate(benchmark_file, Method("toy", ()), RunOptions(model="some:model", out=tmp_path / "run"))
    assert not (tmp_path / "run").exists()


def test_one_id_twice_is_refused(benchmark_file: Path, tmp_path: Path) -> None:
    first = benchmark_file.read_text(encoding="utf-8").splitlines()[0]
    with benchmark_file.open("a", encoding="utf-8") as stream:
        stream.write(first + "\n")
    with pytest.raises(InputError, match="'q0'"):
        evaluate(benchmark_file, right, RunOptions(out=tmp_path / "run"))


def test_questions_without_their_database_are_not_judged(
    benchmark_file: Path, tmp_path: Path, threads: Executor
) -> None:
    (tmp_path / "genes.sqlite").unlink()
    run = evaluate(benchmark_file, right, RunOptions(out=tmp_path / "run", limit=3, executor=threads))
    assert {(r.outcome, (r.error or "")[:28]) for r in run.records()} == {
        (Outcome.UNJUDGED, "the database can't be used: ")
    }
    found = run.summary().all
    assert (found["n"], found["asked"], found["unjudged"]) == (0, 3, {"database": 3})
    assert found["correct_rate"] is None
    assert found["coverage"] == 1.0


def test_gold_that_fails_is_told_whatever_the_answer(tmp_path: Path, threads: Executor) -> None:
    """Of answers that run, that fail, that are missing, and of a method that raises."""
    with sqlite3.connect(tmp_path / "g.sqlite") as made:
        made.execute("CREATE TABLE gene (name TEXT)")
    lines = [
        {"id": f"{kind}{n}", "question": "?", "database": "g.sqlite", "gold": [gold]}
        for kind, gold in (("good", "SELECT 1"), ("broken", "SELECT nme FROM gene"))
        for n in range(4)
    ]
    (tmp_path / "own.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")

    def answer(question: Question) -> str | None:
        if question.id.endswith("3"):
            raise ValueError("boom")
        return ("SELECT 1", "SELECT nope", "")[int(question.id[-1])]

    run = evaluate(tmp_path / "own.jsonl", answer, RunOptions(out=tmp_path / "run", executor=threads))
    found = {r.id: (r.outcome.value, r.error_class) for r in run.records()}
    assert {found[f"broken{n}"] for n in range(4)} == {("unjudged", "gold")}
    assert [found[f"good{n}"][0] for n in range(4)] == ["correct", "error", "error", "error"]
    summary = run.summary().all
    assert summary["counts"]["correct_rate"] == [1, 4]
    assert summary["error_classes"] == {"internal_error": 1, "missing": 1, "no_such_table_or_column": 1}


def test_a_full_disk_keeps_what_is_there(
    benchmark_file: Path, tmp_path: Path, threads: Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = os.write, 0

    def full(file: int, data: bytes) -> int:
        nonlocal calls
        calls += 1
        if calls == 4:  # as a full disk does: a part is written, and no more
            return real(file, data[:10])
        return real(file, data)

    with monkeypatch.context() as patched:
        patched.setattr("fathom.files.os.write", full)
        with pytest.raises(RunError, match="make room and run the same command again"):
            evaluate(benchmark_file, right, RunOptions(out=tmp_path / "run", executor=threads))
    assert len(list(Run(tmp_path / "run").records())) == 3
    run = evaluate(benchmark_file, right, RunOptions(out=tmp_path / "run", executor=threads))
    assert run.summary().all["correct"] == QUESTIONS + 1


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Heed Ctrl-C, which a shell has processes in the background ignore."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_keeps_what_is_answered(benchmark_file: Path, tmp_path: Path, threads: Executor) -> None:
    records = tmp_path / "run" / "records.jsonl"

    def interrupting(question: Question) -> str | None:
        if question.id == "q6":
            deadline = time.monotonic() + 60
            while records.read_bytes().count(b"\n") < 6 and time.monotonic() < deadline:
                time.sleep(0.02)
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
            time.sleep(2)
        return right(question)

    with pytest.raises(RunStopped, match="of 13 questions") as stopped:
        evaluate(benchmark_file, interrupting, RunOptions(out=tmp_path / "run", executor=threads))
    assert stopped.value.done == 6

    def interrupting_no_more(question: Question) -> str | None:
        return right(question)

    interrupting_no_more.__qualname__ = interrupting.__qualname__
    run = evaluate(benchmark_file, interrupting_no_more, RunOptions(out=tmp_path / "run", executor=threads))
    assert run.summary().all["correct"] == QUESTIONS + 1


SCRIPT = """
import sys, time
sys.path.insert(0, {root!r})
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from fathom.evaluation.runs.options import RunOptions
from fathom.evaluation.runs.run import evaluate

def slow(question):
    with open({asked!r}, "a") as stream:
        stream.write(question.id + "\\n")
    time.sleep(0.03)
    return "SELECT name FROM gene WHERE id = " + question.id[1:]

options = RunOptions(out={out!r}, workers=2, executor=ThreadPoolExecutor(2))
evaluate({benchmark!r}, slow, options)
"""


def test_killed_again_and_again_it_loses_nothing(tmp_path: Path) -> None:
    benchmark_file = make_benchmark(tmp_path, questions=40)
    asked, out = tmp_path / "asked", tmp_path / "run"
    root = str(Path(__file__).resolve().parents[3])
    script = SCRIPT.format(root=root, asked=str(asked), benchmark=str(benchmark_file), out=str(out))
    kills = 0
    records = out / "records.jsonl"
    for attempt in range(4):
        before = records.stat().st_size if records.exists() else 0
        process = subprocess.Popen([sys.executable, "-c", script])
        deadline = time.monotonic() + 60
        # Kill soon after the first new record, at a moment that differs each time.
        while process.poll() is None and time.monotonic() < deadline:
            if attempt < 3 and records.exists() and records.stat().st_size > before + 400 * attempt:
                time.sleep(0.01 * attempt)
                process.send_signal(signal.SIGKILL)
                kills += 1
                break
            time.sleep(0.002)
        if process.wait() == 0:
            break
    assert kills == 3
    found = Counter(r.id for r in Run(out).records())
    assert len(found) == 41
    assert max(found.values()) == 1
    # At most what was under way at each kill was asked again: one question a worker.
    again = Counter(asked.read_text(encoding="utf-8").split()).total() - len(found)
    assert again <= kills * 2


def test_a_torn_last_line_is_asked_again(benchmark_file: Path, tmp_path: Path, threads: Executor) -> None:
    evaluate(benchmark_file, right, RunOptions(out=tmp_path / "run", executor=threads))
    records = tmp_path / "run" / "records.jsonl"
    whole = records.read_bytes()
    records.write_bytes(whole[:-40])
    assert len(list(Run(tmp_path / "run").records())) == QUESTIONS  # readers pass over it
    assert Run(tmp_path / "run").summary().all["n"] == QUESTIONS
    run = evaluate(benchmark_file, right, RunOptions(out=tmp_path / "run", executor=threads))
    assert run.summary().all["n"] == QUESTIONS + 1


def test_a_damaged_line_in_the_middle_is_told(
    benchmark_file: Path, tmp_path: Path, threads: Executor
) -> None:
    evaluate(benchmark_file, right, RunOptions(out=tmp_path / "run", executor=threads))
    records = tmp_path / "run" / "records.jsonl"
    lines = records.read_bytes().splitlines(keepends=True)
    records.write_bytes(b"".join([*lines[:4], b'{"id": "q\n', *lines[5:]]))
    with pytest.raises(InputError, match="line 5: is damaged"):
        evaluate(benchmark_file, right, RunOptions(out=tmp_path / "run", executor=threads))
    with pytest.raises(InputError, match="line 5: is not the record of a question"):
        Run(tmp_path / "run").summary()


def test_work_that_kills_its_process_is_one_outcome() -> None:
    with Scorers(2) as scorers:
        futures = [(n, scorers.submit(double_or_die, n)) for n in range(5)]
        found: dict[int, Any] = {}
        for n, future in futures:
            try:
                found[n] = scorers.settle(future, double_or_die, n)
            except WorkerDied:
                found[n] = "died"
        assert scorers.submit(double_or_die, 9).result() == 18  # and new work goes on
        broken = scorers.submit(divide_by_zero, 1)
        with pytest.raises(WorkerDied, match="judging failed: ZeroDivisionError"):
            scorers.settle(broken, divide_by_zero, 1)
    assert found == {0: 0, 1: 2, 2: 4, 3: "died", 4: 8}


def test_the_configuration_is_kept_with_its_lock(tmp_path: Path) -> None:
    from fathom.evaluation.runs.configuration import Configuration

    configuration = Configuration("m", "b", "", "0" * 64, "semantic")
    with RunFolder(tmp_path / "run", configuration), pytest.raises(RunInUse):
        RunFolder(tmp_path / "run", configuration)
    with RunFolder(tmp_path / "run", configuration) as again:
        assert again.done == set()
