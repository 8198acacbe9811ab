"""The figures of each module by itself: selection, generation, revision, and their cost."""

from collections.abc import Iterator, Mapping
from typing import Any

from fathom.evaluation.categories import in_order
from fathom.evaluation.outcome import JUDGED
from fathom.evaluation.runs.columns import SELECTED
from fathom.evaluation.runs.contrast import Contrast
from fathom.records.trace import MODULES
from fathom.reports.chapters.ranking import named, ranked
from fathom.reports.sheet import (
    UNKNOWN,
    Cell,
    Sheet,
    count,
    dollars,
    heads,
    mean,
    points,
    rate,
    share,
    signed,
    text,
)

LOW_F1, HIGH_ER, LOW_CI, HIGH_E2C = 0.75, 0.10, 0.05, 0.5
"""The marks of a bottleneck (NL2SQLBench, A.6): schema F1 below, error rate above, and a gain by revision
below its mark although E2C is high. The paper gives no figure for "high"."""
_MOVES = ("I2C", "E2C", "C2I", "C2E")
_ENDS = {"before": "entered the revision", "after": "left it"}
NOT_CANDIDATES = (
    "Queries that revision writes or takes from solved questions are no candidates; the final rate, which "
    "counts them, may be above pass@k."
)
"""A remark on figures of candidates; without it the final rate seems to contradict them."""


def modules(found: Contrast) -> Iterator[Sheet]:
    """Every table about modules that the runs have figures for."""
    runs = ranked(found)
    for sheet in (_selection, _conditioned, _generation, _revision, _levels, _usage, _bottlenecks):
        made = sheet(found, [(label, s.all, s.by) for label, s in runs])
        if made is not None:
            yield made


Runs = list[tuple[str, Mapping[str, Any], Mapping[str, Any]]]


def _selection(found: Contrast, runs: Runs) -> Sheet | None:
    rows = [
        [named(found, label), count(f["n"]), *(share(f["selection"][n]) for n in SELECTED),
         *_used(f, "selection")]
        for label, f, _ in runs if f["selection"]
    ]  # fmt: skip
    head = heads("run", "N", *(n.replace("_f1", " F1").replace("_", " ") for n in SELECTED), *_USED)
    note = "Precision, recall and F1 against what the gold query reads: means over questions."
    return Sheet("Schema selection", head, rows, note, lead=2).folded() if rows else None


def _conditioned(found: Contrast, runs: Runs) -> Sheet | None:
    rows = []
    names = ("correct_where_recall_is_full", "correct_where_recall_is_partial", "recall_where_right",
             "recall_where_wrong")  # fmt: skip
    for label, figures, _ in runs:
        for stage, told in ((figures["selection"] or {}).get("conditioned") or {}).items():
            for items, of in told.items():
                rows.append([named(found, label), text(stage), text(items), *(share(of[n]) for n in names)])
    head = heads("run", "after", "of", "correct, recall full", "correct, recall partial", "recall, right",
                 "recall, wrong")  # fmt: skip
    note = ("What selection leaves to later modules. CG@k: a right query among the first k candidates; QR: "
            "the final query.")  # fmt: skip
    return Sheet("Correctness and recall of the schema", head, rows, note, lead=3) if rows else None


def _generation(found: Contrast, runs: Runs) -> Sheet | None:
    rows = []
    passes = sorted({int(k) for _, f, _ in runs if f["generation"] for k in f["generation"]["pass_at"]} - {1})
    for label, figures, _ in runs:
        if made := figures["generation"]:
            outcomes = [share(made["first"][o.value]) for o in JUDGED]
            passed = [share(made["pass_at"].get(str(k))) for k in passes]
            chosen = list(_choice(figures)) if passes else []
            rows.append(
                [named(found, label), count(figures["n"]), *outcomes, *passed, *chosen,
                 *_used(figures, "generation")]
            )  # fmt: skip
    head = heads("run", "N", "first: correct (CR)", "incorrect (IR)", "error (ER)",
                 *(f"pass@{k}" for k in passes), *(_CHOICE if passes else ()), *_USED)  # fmt: skip
    note = ("pass@k: a right query among the first k candidates; “–” where there are no more. "
            f"{NOT_CANDIDATES} {_ANY}")  # fmt: skip
    return (
        Sheet("Candidate generation", head, rows, note if passes else "", lead=2).folded() if rows else None
    )


_CHOICE = ("any query", "final: correct", "lost in choosing")
_ANY = "Any query: a right one among all of them, those too; the final rate is never above it."


def _choice(figures: Mapping[str, Any]) -> Iterator[Cell]:
    """How many questions have a right query at all, how many end with one, and the gap between the two."""
    reachable, n = figures["generation"]["any"], figures["n"]
    yield share(reachable)
    yield rate(figures, "correct_rate")
    yield points((reachable["hits"] - figures["correct"]) / n) if n else text(UNKNOWN)


def _revision(found: Contrast, runs: Runs) -> Sheet | None:
    rows = []
    for label, figures, _ in runs:
        if of := figures["revision"]:
            gain = "not defined" if of["CI"] is None else f"{signed(100 * of['CI'])} %"
            ends = [share(of[end][o.value]) for end in _ENDS for o in JUDGED]
            moves = [share(of[m]) for m in _MOVES]
            rows.append(
                [named(found, label), count(of["n"]), *ends, text(gain), *moves, *_used(figures, "revision")]
            )
    told = [f"{end}: {name}" for end in _ENDS for name in ("CR", "IR", "ER")]
    note = ("CI is the relative gain by revision, I2C and E2C what it repaired, C2I and C2E what it broke, "
            f"each a share of what entered so. {NOT_CANDIDATES}")  # fmt: skip
    head = heads("run", "N", *told, "CI", *_MOVES, *_USED)
    return Sheet("Query revision", head, rows, note, lead=2).folded() if rows else None


def _levels(found: Contrast, runs: Runs) -> Sheet | None:
    """CR, IR and ER by difficulty, of the first candidate and of the final query."""
    rows = []
    levels = in_order("difficulty", dict.fromkeys(n for _, _, by in runs for n in by.get("difficulty", {})))
    for level in levels:
        for label, _, by in runs:
            of = by.get("difficulty", {}).get(level)
            if not of:
                continue
            if of["generation"]:
                first = [share(of["generation"]["first"][o.value]) for o in JUDGED]
                rows.append([text(level), named(found, label), text("generation"), *first])
            n = of["n"]
            last = [
                share({"value": of[o.value] / n if n else None, "hits": of[o.value], "n": n}) for o in JUDGED
            ]
            rows.append([text(level), named(found, label), text("final"), *last])
    head = heads("difficulty", "run", "after", "correct (CR)", "incorrect (IR)", "error (ER)")
    title = "Outcomes by difficulty, after generation and at the end"
    return Sheet(title, head, rows, lead=3) if len(levels) > 1 else None


_USED = ("calls", "tokens", "prompt tokens", "completion tokens", "US$")
_MEASURED = ("calls", "tokens", "prompt_tokens", "completion_tokens")


def _used(figures: Mapping[str, Any], module: str) -> list[Cell]:
    """Give a module's usage, a question's mean."""
    of = figures["usage"].get(module)
    return [*(mean(of[n] if of else None) for n in _MEASURED), dollars(of)]


def _usage(found: Contrast, runs: Runs) -> Sheet | None:
    rows = [
        [named(found, label), text(module), *_used(f, module), mean(f["usage"][module]["cached_tokens"]),
         *(mean(f["usage"][module][f"{s}_seconds"]) for s in ("model", "database", "own"))]
        for label, f, _ in runs for module in (*MODULES, "total") if module in f["usage"]
    ]  # fmt: skip
    head = heads(
        "run", "module", *_USED, "cached tokens", "seconds in the model", "in the database", "in own code"
    )
    note = ("A question's mean. “–”: not known, which is not nothing. Tokens of a file that tells their sum "
            "alone have no parts, and cost something between two prices.")  # fmt: skip
    return Sheet("Tokens, cost and time by module", head, rows, note, lead=2).folded() if rows else None


def _bottlenecks(found: Contrast, runs: Runs) -> Sheet | None:
    rows = []
    for label, figures, _ in runs:
        cells = list(_marks(figures))
        if any(c.text != "–" for c in cells):
            marked = dict.fromkeys(c.flag for c in cells if c.flag)
            rows.append([named(found, label), *cells, text(", ".join(marked) or "none")])
    head = heads("run", "table F1", "column F1", "ER, first candidate", "CI", "E2C", "bottleneck")
    note = (f"Marks of NL2SQLBench: schema F1 below {LOW_F1:.0%}, error rate above {HIGH_ER:.0%}, and a gain "
            f"by revision (CI) below {LOW_CI:.0%} despite a high E2C; we take {HIGH_E2C:.0%} as high. Not of "
            "the paper: a loss by revision is marked as well.")  # fmt: skip
    return Sheet("Bottlenecks", head, rows, note) if rows else None


def _marks(figures: Mapping[str, Any]) -> Iterator[Cell]:
    """The quantities that marks are of, each flagged where it is past its mark."""
    for name in ("table_f1", "column_f1"):
        yield _flagged(figures["selection"] and figures["selection"][name], "selection", lambda v: v < LOW_F1)
    first = figures["generation"] and figures["generation"]["first"]["error"]
    yield _flagged(first, "generation", lambda v: v > HIGH_ER)
    of = figures["revision"]
    if not of or of["CI"] is None:
        yield from (text(UNKNOWN), text(UNKNOWN))
        return
    # A revision that repairs little has little to lose by; one that repairs much must break as much.
    low = of["CI"] < (LOW_CI if (of["E2C"]["value"] or 0) >= HIGH_E2C else 0)
    yield Cell(f"{signed(100 * of['CI'])} %", f"N = {of['n']:,}", flag="revision" if low else "")
    yield share(of["E2C"])


def _flagged(found: Mapping[str, Any] | None, module: str, past: Any) -> Cell:
    cell = share(found)
    if not found or found["value"] is None or not past(found["value"]):
        return cell
    return Cell(cell.text, cell.more, flag=module)
