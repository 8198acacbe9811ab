"""The chapters of a report: which tables and charts there are, from the figures of the runs."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from fathom.evaluation.runs.contrast import Contrast
from fathom.reports.chapters.answers import calls, equivalence, words
from fathom.reports.chapters.drawings import charts
from fathom.reports.chapters.failures import failures, overlap
from fathom.reports.chapters.groups import grouped
from fathom.reports.chapters.modules import modules
from fathom.reports.chapters.origins import origins
from fathom.reports.chapters.paper_tables import paper_tables
from fathom.reports.chapters.ranking import ambiguity, gaps, leaderboard, paired, repeats
from fathom.reports.chapters.verdict import verdict
from fathom.reports.chapters.worth import order_elsewhere, worth
from fathom.reports.charts.svg import relabelled
from fathom.reports.sheet import Chapter, Figure, Sheet

Make = Callable[[Contrast], Iterable[Sheet]]


def _ranked(found: Contrast) -> Iterator[Sheet]:
    yield leaderboard(found)
    if (again := repeats(found)) is not None:
        yield again
    yield from gaps(found)
    yield from ambiguity(found)


def _tested(found: Contrast) -> Iterator[Sheet]:
    if (tests := paired(found)) is not None:
        yield tests


_CHAPTERS: tuple[tuple[str, str, str, Make], ...] = (
    ("leaderboard", "Leaderboard",
     "Rates are of the best guess over all questions that could be judged, with 95 % Wilson intervals; means "
     "with bootstrap intervals.",
     _ranked),
    ("papers", "As papers print it", "", paper_tables),
    ("worth", "What more costs and brings", "", worth),
    ("tests", "Paired tests",
     "On the questions that both runs have: exact McNemar for correctness, paired bootstrap for seconds and "
     "tokens. Differences are first minus second.", _tested),
    ("modules", "Modules", "What each module does by itself. “–”: the run doesn't record this.", modules),
    ("failures", "Failures", "", failures),
    ("calls", "Tool calls",
     "Correct: the call observes what the gold call observes. The score is the mean similarity of the two "
     "observations under the encoder that is named, 0 where a call fails; parameter errors are those of "
     "failed calls. Shares are of all questions unless said otherwise.", calls),
    ("words", "Answers in words",
     "Judged by who knows the gold answer. Response quality: the share of answers with a BioScore of 2 or "
     "more; unjudged ones have none. Safety: the share of abstentions among those below 2.", words),
    ("equivalence", "Equivalence as a model judges it",
     "A model's opinion of query and first gold query, without running either or being told which is which; "
     "it changes no outcome. Shares are of the queries it judged.", equivalence),
    ("overlap", "Overlap", "", overlap),
    ("groups", "By group", "A question counts in each of its categories.", grouped),
    ("repeat", "Repeat it", "", origins),
)  # fmt: skip


def chapters(found: Sequence[Contrast]) -> list[Chapter]:
    """Every chapter that these runs have figures for; runs over several benchmarks have tables of each."""
    said = [f"{one.benchmark}: {verdict(one)}" if len(found) > 1 else verdict(one) for one in found]
    made = [Chapter("verdict", "In short", " ".join(said))]
    figures = [_named(figure, one, found) for one in found for figure in charts(one)]
    drawn = {figure.sheet.title for figure in figures}
    for identifier, title, note, make in _CHAPTERS:
        sheets = [_titled(sheet, one, found) for one in found for sheet in make(one)]
        if left := [sheet for sheet in sheets if sheet.title not in drawn]:  # each table stands once
            made.append(Chapter(identifier, title, note, left))
    if ordered := list(order_elsewhere(found)):
        made.append(Chapter("order", "Over several benchmarks", "", ordered))
    if figures:
        place = next((i + 1 for i, one in enumerate(made) if one.id == "modules"), len(made))
        made.insert(place, Chapter("charts", "Charts", "", (), figures))
    return made


def _titled(sheet: Sheet, one: Contrast, found: Sequence[Contrast]) -> Sheet:
    return replace(sheet, title=_said(sheet.title, one, found))


def _named(figure: Figure, one: Contrast, found: Sequence[Contrast]) -> Figure:
    """A chart whose title, table and label say the benchmark, where there are several."""
    title = _said(figure.title, one, found)
    chart = relabelled(figure.chart, title) if len(found) > 1 else figure.chart
    return replace(figure, title=title, chart=chart, sheet=_titled(figure.sheet, one, found))


def _said(title: str, one: Contrast, found: Sequence[Contrast]) -> str:
    """A title with its benchmark, where there are several."""
    return f"{title}: {one.benchmark}" if len(found) > 1 else title
