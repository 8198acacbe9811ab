"""The figures of NL2SQLBench's rows on methods as a whole: overlap, budgets, gold, people, strategies."""

import re
import tomllib
from collections import Counter
from statistics import fmean

from tests.data import DATA, ROOT
from tests.docs.coverage.nl2sqlbench import CHECKS, LEVELS, dail_outcomes, moves_of
from tests.docs.coverage.people_work import SALES, WRITTEN
from tests.docs.coverage.reading import (
    FINANCIAL,
    before,
    bird,
    final,
    first,
    is_mean,
    is_p,
    is_rates,
    is_share,
    lines,
    mcnemar,
    outcome,
    predicted,
    records,
    row,
    selection_scores,
    table,
    used,
)
from tests.evaluation import restated

__all__ = ["CHECKS"]


def _failures(run: str) -> set[str]:
    return {r["id"] for r in records(run) if final(r) != "correct"}


@CHECKS.of("Fig. 6/16 overlap of failures")
def overlap(shown: str) -> None:
    both = {r["id"] for r in records("mac")} & {r["id"] for r in records("offline")}
    ours, theirs = _failures("mac") & both, _failures("offline") & both
    common, least = len(ours & theirs), min(len(ours), len(theirs))
    told = re.search(r"Questions that both got wrong.*?(\d+) of (\d+)<", shown, re.DOTALL)
    assert told
    assert (int(told[1]), int(told[2])) == (common, least)


@CHECKS.of("Fig. 7 solved by exactly m, by difficulty")
def solved_by(shown: str) -> None:
    kept = {r["id"]: r for r in records("offline")}
    right = Counter(r["id"] for run in ("mac", "offline") for r in records(run) if final(r) == "correct")
    for cells in table(shown, "Questions solved by exactly so many runs"):
        of = [i for i, r in kept.items() if cells["difficulty"] in ("all", r["difficulty"])]
        assert int(cells["N"]) == len(of)
        assert [int(cells[str(m)]) for m in range(3)] == [sum(right[i] == m for i in of) for m in range(3)]


@CHECKS.of("Tab. 9/10 end to end")
def end_to_end(shown: str) -> None:
    cells, kept = row(shown, "As in NL2SQLBench", "mac-sql"), records("mac")
    assert cells["CR"] == f"{100 * fmean(final(r) == 'correct' for r in kept):.1f}"
    is_mean(cells["tokens"], [used(r, "tokens") for r in kept])
    is_mean(cells["calls"], [used(r, "calls") for r in kept])


@CHECKS.of("§4.5.1 CR@budget, Pareto front")
def budgets(shown: str) -> None:
    for run, of in (("mac", "mac-sql"), ("offline", "offline")):
        cells, kept = row(shown, "Correct at most model calls a question", of), records(run)
        for budget, cell in cells.items():
            if budget != "run":
                within = [r for r in kept if final(r) == "correct" and used(r, "calls") <= float(budget)]
                is_share(cell, len(within), len(kept))
    spent = {
        of: fmean(used(r, "tokens") for r in records(run))
        for run, of in (("mac", "mac-sql"), ("offline", "offline"))
    }
    right = {
        of: fmean(final(r) == "correct" for r in records(run))
        for run, of in (("mac", "mac-sql"), ("offline", "offline"))
    }
    for of, other in (("mac-sql", "offline"), ("offline", "mac-sql")):
        beaten = spent[other] <= spent[of] and right[other] >= right[of]
        assert row(shown, "Correct against tokens a question", of)["on the front"] == (
            "no" if beaten else "yes"
        )


@CHECKS.of("Fig. 8-15 CR, IR, ER by difficulty and module")
def by_difficulty_and_module(shown: str) -> None:
    title = "Outcomes by difficulty, after generation and at the end"
    for level in LEVELS:
        kept = [r for r in records("mac") if r["difficulty"] == level]
        for after, rule in (("generation", first), ("final", final)):
            cells = row(shown, title, "mac-sql", difficulty=level, after=after)
            is_rates(cells, ("correct (CR)", "incorrect (IR)", "error (ER)"), [rule(r) for r in kept])


@CHECKS.of("Tab. 23 CR given full or partial recall, at CG@k and QR")
def correct_given_recall(shown: str) -> None:
    for after, of, full, right in _conditioned():
        cells = row(shown, "Correctness and recall of the schema", "offline", **{"after": after, "of": of})
        is_share(
            cells["correct, recall full"],
            sum(r for f, r in zip(full, right, strict=True) if f == 1),
            sum(f == 1 for f in full),
        )
        is_share(
            cells["correct, recall partial"],
            sum(r for f, r in zip(full, right, strict=True) if f < 1),
            sum(f < 1 for f in full),
        )


@CHECKS.of("Tab. 24 recall given right or wrong, at CG@k and QR")
def recall_given_correct(shown: str) -> None:
    for after, of, recall, right in _conditioned():
        cells = row(shown, "Correctness and recall of the schema", "offline", **{"after": after, "of": of})
        is_mean(cells["recall, right"], [f for f, r in zip(recall, right, strict=True) if r], percent=True)
        is_mean(
            cells["recall, wrong"], [f for f, r in zip(recall, right, strict=True) if not r], percent=True
        )


def _conditioned() -> list[tuple[str, str, list[float], list[bool]]]:
    """For each module and kind of name: the recall of each question, and whether it was right by then."""
    kept = records("offline")
    found = []
    for after in ("CG@1", "CG@5", "CG@20", "QR"):
        if after == "QR":
            right = [final(r) == "correct" for r in kept]
        else:
            k = int(after[3:])
            right = [
                any(outcome(c["sql"], r["gold"][0]) == "correct" for c in r["candidates"][:k]) for r in kept
            ]
        for of in ("tables", "columns"):
            found.append((after, of, [selection_scores(r)[f"{of[:-1]} recall"] for r in kept], right))
    return found


@CHECKS.of("§4.4.2 queue of questions that no method solves")
def unsolved(_: str) -> None:
    told = lines("unsolved.jsonl")
    assert {one["id"] for one in told} == _failures("dail") & _failures("rsl")
    assert all(one["gold"] == [bird()[one["id"]]["SQL"]] for one in told)


@CHECKS.of("§4.6.4 audit of gold")
def audited(_: str) -> None:
    by_question: dict[str, set[str]] = {}
    for one in lines("findings.jsonl"):
        by_question.setdefault(one["id"], set()).add(one["kind"])
        if (
            one["kind"] == "evidence_value_unused"
        ):  # a value that the evidence names, and no part of the query
            assert one["detail"]["value"] not in one["gold"]
        if one["kind"] == "gold_empty":
            path = DATA / "bird" / "train_databases" / one["database"] / f"{one['database']}.sqlite"
            assert restated.run_once(str(path), one["gold"]) == ([], 1)
    assert by_question


@CHECKS.of("§4.6.4 several accepted gold queries")
def several_golds(shown: str) -> None:
    asked, answers = ({q["id"]: q for q in lines(f"{n}.jsonl")} for n in ("mine", "answers"))
    right = 0
    for i, q in asked.items():
        golds = q.get("gold") or [one["sql"] for one in q["readings"]]
        right += any(restated.bird("chinook.sqlite", answers[i]["sql"], g) for g in golds)
    assert f"{right} of {len(asked)}" in shown


@CHECKS.of("§4.6.4 partial credit, comparison by meaning")
def partial_credit(shown: str) -> None:
    told = re.search(r"(\d+) correct, (\d+) incorrect, (\d+) error", shown)
    assert told
    found = dail_outcomes()
    queries = predicted("dev/DAILSQL.sql")
    results = {i: [restated.run_once(FINANCIAL, s) for s in (queries[i], bird()[i]["SQL"])] for i in found}
    ran = [(a[0], b[0]) for a, b in results.values() if a and b]
    # To mean the same is to return the same rows as often, whatever the order where none is asked for.
    same = sum(Counter(map(repr, ours)) == Counter(map(repr, gold)) for ours, gold in ran)
    assert abs(int(told[1]) - same) <= 1
    assert int(told[3]) == len(found) - len(ran)


@CHECKS.of("§4.6.4 marks of ambiguity with all readings")
def ambiguous(shown: str) -> None:
    marked = [r for r in records("mine") if r["readings"]]
    asked_back = sum(r["declined"] for r in marked)
    for name, hits in (
        ("asked back", asked_back),
        ("all readings given", sum(r["readings_found"] == r["readings"] for r in marked)),
    ):
        told = re.search(rf"ambiguous: {name}.*?(\d+) of (\d+)", shown)
        assert told
        assert (int(told[1]), int(told[2])) == (hits, len(marked))


@CHECKS.of("§4.6.4 several annotators, consensus")
def consensus(shown: str) -> None:
    # Of three questions that two people answered, two got queries with equal results on changed copies too.
    assert re.search(rf"equal results: {200 / len(SALES):.1f}% .*, N = {len(SALES)}$", shown, re.MULTILINE)
    alike = [
        restated.bird("sales.sqlite", WRITTEN["Ann"][n], WRITTEN["Ben"][n], restated.run)
        for n in range(len(SALES))
    ]
    assert all(alike)  # on the database itself all three are


@CHECKS.of("§4.6.4 a model's check of equivalence")
def equivalences(shown: str) -> None:
    told = lines("runs/mac/equivalences.jsonl")
    kept = records("mac")
    assert len(told) == len(kept)
    right = sum(final(r) == "correct" for r in kept)
    assert re.search(rf"\b{right} of {len(kept)}\b", shown), (right, shown)


@CHECKS.of("A.6 mark of the bottleneck")
def bottleneck(shown: str) -> None:
    for run, of in (("mac", "mac-sql"), ("offline", "offline")):
        kept = records(run)
        scores = [selection_scores(r) for r in kept]
        pairs = [(before(r), final(r)) for r in kept]
        right = [sum(p[i] == "correct" for p in pairs) for i in (0, 1)]
        marks = []
        if min(fmean(s["table F1"] for s in scores), fmean(s["column F1"] for s in scores)) < 0.75:
            marks.append("selection")
        if fmean(first(r) == "error" for r in kept) > 0.1:
            marks.append("generation")
        hits, entered = moves_of(pairs)["E2C"]
        if (entered and hits / entered >= 0.5 and (right[1] - right[0]) / right[0] < 0.05) or right[
            1
        ] < right[0]:
            marks.append("revision")
        assert row(shown, "Bottlenecks", of)["bottleneck"] == (", ".join(marks) or "–")


@CHECKS.of("A.6 A/B test of one module, regression over time")
def compared(shown: str) -> None:
    ours, theirs = (
        {r["id"]: final(r) == "correct" for r in records(run)} for run in ("offline", "gold-schema")
    )
    lost = sum(ours[i] and not theirs[i] for i in ours)
    won = sum(theirs[i] and not ours[i] for i in ours)
    told = re.search(r"McNemar p[ =]*([\d.]+)", shown)
    assert told, shown[:800]
    is_p(told[1], mcnemar(lost, won))


@CHECKS.of("Tab. 1-3 classification of strategies")
def strategies(shown: str) -> None:
    points = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]
    told = set(re.findall(r"^ ([a-z0-9][\w-]*) ", shown, re.MULTILINE)) - {"method"}
    assert told == set(points["fathom.methods"])


@CHECKS.of("§4.5.1 adaptive spending")
def adaptive(_: str) -> None:
    for r in records("adaptive"):
        assert used(r, "calls") == r["usage"]["total"]["calls"]
        assert r["outcome"] == final(r)
