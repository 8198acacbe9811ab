"""Runs side by side: figures, paired tests, the overlap of failures, and the questions that moved."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query

from fathom.interfaces.web.pages.runs import (
    MOST_COMPARED,
    Drawn,
    RunLine,
    TableOf,
    charts_of,
    line_of,
    tables_of,
)
from fathom.interfaces.web.routes import OfSite, shown
from fathom.interfaces.web.run_folders import State, contrast_of, find_run, find_runs, moves_between
from fathom.reports.sheet import letter

if TYPE_CHECKING:
    from fathom.evaluation.runs.contrast import Contrast

router = APIRouter(tags=["runs"])
MOST_MOVES = 200


@dataclass(frozen=True, slots=True)
class MovedLine:
    """A question that two runs don't agree about."""

    id: str
    question: str
    before: str
    after: str
    why: str


@dataclass(frozen=True, slots=True)
class Side:
    """One run of a comparison, with its letter in charts."""

    letter: str
    number: int
    name: str
    line: RunLine


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Runs over one benchmark: paired tests, overlap of failures, charts, what moved in the second."""

    benchmark: str
    sides: Sequence[Side]
    pairs: Sequence[Mapping[str, Any]]
    overlap: Sequence[Mapping[str, Any]]
    charts: Sequence[Drawn]
    tables: Sequence[TableOf]
    moved: Sequence[MovedLine]
    moved_in_all: int


@dataclass(frozen=True, slots=True)
class Compare:
    """Runs side by side; those over different benchmarks are never paired. `known` are to choose from."""

    known: Sequence[RunLine]
    chosen: Sequence[str]
    comparisons: Sequence[RunComparison]


@shown(router, "/compare", "compare.html")
def compare(
    site: OfSite, run: Annotated[list[str] | None, Query(max_length=MOST_COMPARED)] = None
) -> Compare:
    """Runs side by side: figures, paired tests, overlap of failures, and the questions that moved."""
    chosen = list(dict.fromkeys(run or []))
    states = {name: find_run(site.rules.runs, name) for name in chosen}
    known = [line_of(name, state) for name, state in find_runs(site.rules.runs).items()]
    found = contrast_of(tuple(states.values())) if len(states) > 1 else ()
    return Compare(known, chosen, [_comparison(one, states) for one in found])


def _comparison(one: "Contrast", states: Mapping[str, State]) -> RunComparison:
    names = {state.folder: name for name, state in states.items()}
    sides = [
        Side(letter(one.numbers[label]), one.numbers[label], label, line_of(names[f], states[names[f]]))
        for label, f in one.folders.items()
    ]
    moves = moves_between(*(states[side.line.name] for side in sides[:2])) if len(sides) > 1 else ()
    as_json = one.as_json()
    return RunComparison(
        one.benchmark, sides, as_json["pairs"], as_json["failure_overlap"], charts_of(one), tables_of(one),
        [MovedLine(**asdict(m)) for m in moves[:MOST_MOVES]], len(moves),
    )  # fmt: skip
