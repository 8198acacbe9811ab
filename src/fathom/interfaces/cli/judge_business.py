"""`fathom judge business`: answers about one database judged without gold."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from fathom.analysis import Figures, Reader, Vocabulary
from fathom.answering import prepare
from fathom.authoring.judging import Expert
from fathom.authoring.judging.journal import Judgement, judge_all, judge_spread
from fathom.authoring.judging.people import DIMENSIONS, agreements, read_people
from fathom.authoring.judging.spread import RulesByName
from fathom.databases import connect
from fathom.errors import ConfigError
from fathom.evaluation.answers.pairs import read_answers
from fathom.evaluation.metrics import Mean
from fathom.evaluation.scoring.clusters import connect_cluster
from fathom.interfaces.cli.display import console, notices, plain, print_json
from fathom.interfaces.cli.options import Recording, Spending
from fathom.llm import opened_model

_REASONS = 5
"""Reasons why sentences aren't judged that are shown, those of the most sentences first."""


def judge_business(
    answers: Path,
    database: str,
    *,
    method: str | None,
    model: str | None,
    out: Path,
    people: Sequence[Path],
    recording: Recording,
    spending: Spending,
    executor: str | None,
    json: bool,
) -> None:
    """Judge a file of answers, and show the four dimensions; what is judged already is not judged again.

    Raises `ConfigError` for an executor together with a model.
    """
    if executor and model:
        raise ConfigError("--executor judges by rules: a model's judgements are waited for. Leave out one.")
    given = read_answers(answers)
    scored = [read_people(file) for file in people]
    tape, replay, budget = recording.cassette, recording.replay, spending.budget("run")
    with (
        connect_cluster(executor) if executor else nullcontext() as cluster,
        opened_model(model, cassette=tape, replay=replay, budget=budget) as opened,
        connect(database) as db,
    ):
        asking = prepare(db, method=method, model=opened)
        vocabulary = Vocabulary(db, asking.context.knowledge)
        expert = Expert(asking, Reader(vocabulary), Figures(vocabulary), opened)
        judge = " ".join((model or "rules", asking.method.name, db.name))
        if cluster is None:
            found = asyncio.run(_judged(judge_all(given, expert, judge, out), len(given)))
        else:
            spread = judge_spread(given, RulesByName.of(database, method), judge, out, cluster)
            found = _counted(spread, len(given))
    means = {name: Mean.of([float(j[name]) for j in found if j[name] is not None]) for name in DIMENSIONS}
    agreed = {a.dimension: a.as_json() for a in agreements(found, scored)}
    if json:
        told = {name: {"value": m.value, "n": m.n} for name, m in means.items()}
        print_json({"answers": len(found), **told, "kept": str(out), "agreement": agreed})
        return
    _show(found, means)
    _show_agreement(agreed)
    console.print(plain(f"Each sentence with its queries and rows: {out}"), style="dim", soft_wrap=True)


def _show(found: Sequence[Judgement], means: Mapping[str, Mean]) -> None:
    for name, mean in means.items():
        shown = "not judged" if mean.value is None else f"{mean.value:.2f}"
        label = name.replace("_", " ").capitalize()
        console.print(f"{label:20s} {shown} (N = {mean.n:,} of {len(found):,} answers)")
    right, wrong, open_ = (sum(j[part] for j in found) for part in ("right", "wrong", "not_judged"))
    total = right + wrong + open_
    console.print(f"{total:,} sentences: {right:,} right, {wrong:,} wrong, {open_:,} not judged.")
    for judged in found:
        for sentence in (s for s in judged["sentences"] if s["inference"] == "false"):
            console.print(plain(f"{judged['id']}: {sentence['sentence']}"), style="yellow", soft_wrap=True)
            for claim in sentence["claims"]:
                console.print(plain(f"    {claim['reason']}"), style="dim", soft_wrap=True)
    # Judgements of earlier versions have no reason.
    open_for = Counter(s["reason"] for j in found for s in j["sentences"] if s.get("reason"))
    for reason, count in open_for.most_common(_REASONS):
        console.print(plain(f"not judged ({count:,}): {reason}"), style="dim", soft_wrap=True)


def _show_agreement(agreed: Mapping[str, Mapping[str, Any]]) -> None:
    for name, told in agreed.items():
        right = f"right on {told['right_where_agreed']} of {told['agreed']} that people agree on"
        coefficients = ", ".join(f"{c} {_number(told[c])}" for c in ("kappa", "ac1"))
        between = f"people alike {_number(told['people_exact'])}, alpha {_number(told['alpha'])}"
        console.print(plain(f"{name}: {right}, {coefficients}; {between} (N = {told['n']})"), soft_wrap=True)
        for key, items in (("", "those agreed on"), ("_all", "all, against people's mean")):
            both = [(c.capitalize(), told[c + key]) for c in ("pearson", "spearman") if told[c + key]]
            shown = ", ".join(f"{c} {f['value']:.2f} (p = {f['p']:.2g}, N = {f['n']})" for c, f in both)
            if both:
                console.print(plain(f"    {items}: {shown}"), soft_wrap=True)


def _number(value: float | None) -> str:
    return "not defined" if value is None else f"{value:.2f}"


def _counted(judging: Iterator[Judgement], count: int) -> list[Judgement]:
    found: list[Judgement] = []
    with notices.status(f"Judging {count:,} answers ...") as status:
        for judged in judging:
            found.append(judged)
            status.update(f"Judged {len(found):,} of {count:,} answers ...")
    return found


async def _judged(judging: AsyncIterator[Judgement], count: int) -> list[Judgement]:
    found: list[Judgement] = []
    with notices.status(f"Judging {count:,} answers ...") as status:
        async for judged in judging:
            found.append(judged)
            status.update(f"Judged {len(found):,} of {count:,} answers ...")
    return found
