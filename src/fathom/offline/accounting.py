"""Whether a query says what its question does: what it leaves over, what it denies, what it counts."""

from collections.abc import Collection
from dataclasses import replace

from fathom.offline.linking import ColumnKey, Linking, Span, TableMention, ValueMention
from fathom.offline.linking.text import name_stems
from fathom.offline.linking.wordlists import LIGHT
from fathom.offline.query import (
    Case,
    Column,
    Comparison,
    Condition,
    Literal,
    Query,
    Subquery,
    compared_with,
    comparisons,
    conjunction,
    expressions,
)
from fathom.offline.ranking.coverage import CoverageJudge, parts_of

ACCOUNTED = 0.5
LEFT_OVER = 2.0
"""What each word takes from the score of a share or group by period that doesn't account for it."""
_LIKELY = 0.5
_MENTIONED = 0.6
_DENYING = frozenset(("!=", "not in", "not like", "not between"))


class Accounts:
    """Tells for the queries of one question which of its words each leaves over."""

    def __init__(self, linking: Linking) -> None:
        self._linking = linking
        self._judge = CoverageJudge(linking)

    def left_over(self, query: Query, said: Collection[int] = ()) -> tuple[int, ...]:
        """The places of content words and numbers that no column, table or value of the query stands for.

        `said` are places that the query's form stands for ("percentage", "per month"). Stricter than what
        the ranker calls missing: that a word fits something else in the database doesn't count.
        """
        parts = parts_of(_opened(query))
        explained = self._judge.judge(parts).explained
        used = {c for c, _ in parts.columns}
        mentioned = [
            m.span for m in self._linking.column_mentions if m.column in used and m.score >= _MENTIONED
        ]
        stems = {s for c in used for s in name_stems(c.column)}
        said = {*said, *(i for span in mentioned for i in range(span.first, span.end))}
        return tuple(
            place
            for place, token in enumerate(self._linking.tokens)
            if not token.stop
            and not token.evidence
            and token.kind != "sign"
            and token.lower not in LIGHT
            and token.stem not in stems
            and place not in said
            and float(explained[place]) < ACCOUNTED
        )

    def accounts_for(self, query: Query, said: Collection[int] = ()) -> bool:
        """Whether a query leaves nothing over, and denies what the question denies."""
        return not self.left_over(query, said) and denies_alike(query, self._linking)


def tables_named_first(linking: Linking, start: int = 0) -> tuple[TableMention, ...]:
    """The mentions of tables at the first place from `start` on that names any: those that fit it best."""
    named = [m for m in linking.table_mentions if m.span.first >= start]
    first = min((m.span.first for m in named), default=None)
    here = [m for m in named if m.span.first == first]
    best = max((m.score for m in here), default=0.0)
    return tuple(m for m in here if m.score == best)


def sure_values(linking: Linking) -> list[ValueMention]:
    """The likeliest value of each run of words that surely names one."""
    best: dict[Span, ValueMention] = {}
    for value in linking.values:  # the likeliest first
        if value.match in {"exact", "folded", "stem"} and value.probability >= _LIKELY:
            best.setdefault(value.span, value)
    return [v for v in best.values() if v.comparison == "=" or _behind_number(linking, v)]


def _behind_number(linking: Linking, value: ValueMention) -> bool:
    """Whether a comparison is one with the number ahead of a text: "more than 2 cancelled orders"."""
    numbers = any(n.span.end == value.span.first for n in linking.numbers)
    return isinstance(value.value, str) and value.comparison not in {"!=", "like"} and numbers


def named_values(linking: Linking) -> tuple[Comparison, ...]:
    """The conditions that columns hold the values which the question surely names."""
    return tuple(Comparison(v.column.in_query(), "=", Literal(v.value)) for v in sure_values(linking))


def denies_alike(query: Query, linking: Linking) -> bool:
    """Whether a query denies something where and only where its question does, and compares plainly.

    Sketches also try what the question doesn't say: what is not among, what is beyond the extreme of a kind.
    """
    compared = list(comparisons(_opened(query).where))
    denied = any(c.operator in _DENYING for c in compared)
    plain = all(not isinstance(c.right, Subquery) or c.operator in {"in", "not in"} for c in compared)
    return plain and denied == bool(linking.negations)


def names_values(query: Query, linking: Linking) -> bool:
    """Whether a query compares with no text of which the question names but a part, or something alike."""
    held = {
        (ColumnKey.of(c.left), item.value)
        for c in comparisons(_opened(query).where)
        for item in compared_with(c)
        if isinstance(c.left, Column) and isinstance(item, Literal)
    }
    doubtful, named = set[object](), set[object]()
    for value in linking.values:
        unlike = value.match in {"typo", "partial"} and value.probability < _LIKELY
        (doubtful if unlike else named).add((value.column, value.value))
    return held.isdisjoint(doubtful - named)


def _opened(query: Query) -> Query:
    """The query with the conditions of its CASEs among its own, where their values are seen."""
    inside: list[Condition] = [e.condition for e in expressions(query) if isinstance(e, Case)]
    return replace(query, where=conjunction(query.where, *inside)) if inside else query
