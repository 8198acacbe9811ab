"""The account of a query's words: those that it leaves over, denies or counts."""

from collections.abc import Collection
from dataclasses import replace

from fathom.offline.linking import ColumnKey, LinkedValue, Linking, Span, TableMention
from fathom.offline.linking.text import name_stems, stem
from fathom.offline.linking.wordlists import DEEDS, DO, LIGHT, RELATIVES
from fathom.offline.queries.query import (
    CaseWhen,
    ColumnRef,
    ComparisonPredicate,
    Condition,
    Literal,
    Query,
    Subquery,
    all_queries,
    compared_with,
    comparisons,
    conjunction,
    expressions,
    mentioned_tables,
)
from fathom.offline.queries.rows import RowNames
from fathom.offline.ranking.coverage import CoverageJudge, parts_of
from fathom.text.english import LEMMAS

ACCOUNTED = 0.5
LEFT_OVER = 2.0
"""The penalty of each word that a share or a group by period leaves unexplained."""
_LIKELY, _POSSIBLE = 0.5, 0.1
_TOLD, _LONG = 0.6, 4
"""How likely a code must be meant by a word of so many letters: CA by "California"."""
_DOERS = ("er", "or")
_DEEDS = frozenset(map(stem, DEEDS))
AMOUNTS = frozenset("the at more most fewer fewest less over no exactly".split())
"""Words behind a verb that compare a number: "handles the most", "wrote at least"."""
_FAR = 5
"""Words that may stand between "did" and its verb: "how many did each of them carry"."""
DENYING = frozenset(("!=", "not in", "not like", "not between"))


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
        mentioned = [m.span for m in self._linking.column_mentions if m.column in used and m.named]
        stems = {s for c in used for s in name_stems(c.column)}
        said = {*said, *(i for span in mentioned for i in range(span.first, span.end))}
        # A year of dates that the value index doesn't hold, since they are no text.
        held = [value for _, value, _ in parts.values if isinstance(value, str)]
        dated = (n.span for n in self._linking.numbers if n.year and _begins(held, str(n.value)))
        said |= {i for span in dated for i in range(span.first, span.end)}
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

    def passed_over(self, query: Query, said: Collection[int] = ()) -> tuple[int, ...]:
        """The places that are left over, but for words of the names of tables that the query reads, and for
        values that it compares with in other letters: solved queries may write them small.
        """
        called = {s for q in all_queries(query) for t in mentioned_tables(q) for s in name_stems(t.name)}
        held = {value.casefold() for _, value, _ in parts_of(_opened(query)).values if isinstance(value, str)}
        spans = (v.span for v in self._linking.values if str(v.value).casefold() in held)
        said = {*said, *(i for span in spans for i in range(*span))}
        return tuple(i for i in self.left_over(query, said) if self._linking.tokens[i].stem not in called)

    def accounts_for(self, query: Query, said: Collection[int] = ()) -> bool:
        """True if a query leaves nothing over, and denies what the question denies."""
        return not self.left_over(query, said) and denies_alike(query, self._linking)


def _begins(texts: Collection[str], year: str) -> bool:
    return any(t.startswith((f"{year}-", f"{year}%")) for t in texts)


def deeds(linking: Linking, names: RowNames) -> frozenset[int]:
    """The places of verbs that say how things go with rows, where nothing in the database is called so.

    "The airline that carried the most passengers" has the most; of what was cancelled a value would tell.
    Columns for who does it, and keys, leave no rows out either: `publisher`, `support_rep_id`.
    """
    telling = [not (names.is_reference(c) or c.column.casefold().endswith(_DOERS)) for c in linking.columns]
    values = [v.span for v in linking.values if v.probability >= _POSSIBLE or v.match in {"exact", "folded"}]
    return frozenset(
        i
        for i, t in enumerate(linking.tokens)
        if t.stem in _DEEDS
        and not t.evidence
        and _is_verb(linking, i)
        and linking.alignment[telling, i].max(initial=0) < ACCOUNTED
        and linking.table_alignment[:, i].max(initial=0) < ACCOUNTED
        and not any(v.first <= i < v.end for v in values)
    )


def _is_verb(linking: Linking, place: int) -> bool:
    """True if a word that may be a noun as well is a verb where it stands: "used", "did they visit"."""
    words = [t.lower for t in linking.tokens[: place + 1]]
    after = linking.tokens[place + 1].lower if place + 1 < len(linking.tokens) else ""
    if place and after in AMOUNTS and linking.table_alignment[:, place - 1].max(initial=0) >= ACCOUNTED:
        return True  # "which playlist | holds the most"
    ended = words[-1].endswith("ed") or words[-1] in LEMMAS
    return ended or words[-2:-1] in ([w] for w in RELATIVES) or not DO.isdisjoint(words[-1 - _FAR : -1])


def named_places(linking: Linking, table: str) -> list[int]:
    """The places of the words that name a table."""
    row = linking.table_alignment[linking.tables.index(table)]
    return [i for i in range(len(linking.tokens)) if row[i] >= ACCOUNTED]


def tables_named_first(linking: Linking, start: int = 0) -> tuple[TableMention, ...]:
    """The mentions of tables at the first place from `start` on that names any: those that fit it best."""
    named = [m for m in linking.table_mentions if m.span.first >= start]
    first = min((m.span.first for m in named), default=None)
    here = [m for m in named if m.span.first == first]
    best = max((m.score for m in here), default=0.0)
    return tuple(m for m in here if m.score == best)


def names_table(linking: Linking, mention: TableMention) -> bool:
    """True if words name a table, or the last word of its name, with which no other table's name ends."""
    if mention.whole:
        return True
    word = linking.tokens[mention.span.end - 1].stem
    return [t for t in linking.tables if name_stems(t)[-1:] == (word,)] == [mention.table]


def sure_values(linking: Linking) -> list[LinkedValue]:
    """The likeliest value of each run of words that surely names one."""
    best: dict[Span, LinkedValue] = {}
    for value in linking.values:  # the likeliest first
        told = value.match == "code" and value.probability >= _TOLD and len(value.text) >= _LONG
        if (value.match in {"exact", "folded", "stem"} and value.probability >= _LIKELY) or told:
            best.setdefault(value.span, value)
    return [v for v in best.values() if v.comparison == "=" or _behind_number(linking, v)]


def _behind_number(linking: Linking, value: LinkedValue) -> bool:
    """True if a comparison is one with the number ahead of a text: "more than 2 cancelled orders"."""
    numbers = any(n.span.end == value.span.first for n in linking.numbers)
    return isinstance(value.value, str) and value.comparison not in {"!=", "like"} and numbers


def named_values(linking: Linking) -> tuple[ComparisonPredicate, ...]:
    """The conditions that columns hold the values which the question surely names."""
    return tuple(
        ComparisonPredicate(v.column.in_query(), "=", Literal(v.value)) for v in sure_values(linking)
    )


def denies_alike(query: Query, linking: Linking) -> bool:
    """True if a query denies something where and only where its question does, and compares plainly.

    Sketches also try what the question doesn't say: what is not among, what is beyond the extreme of a kind.
    """
    compared = list(comparisons(_opened(query).where))
    denied = any(c.operator in DENYING for c in compared)
    plain = all(not isinstance(c.right, Subquery) or c.operator in {"in", "not in"} for c in compared)
    return plain and denied == bool(linking.negations)


def names_values(query: Query, linking: Linking) -> bool:
    """True if a query compares with no text of which the question names but a part, or something alike."""
    held = {
        (ColumnKey.of(c.left), item.value)
        for c in comparisons(_opened(query).where)
        for item in compared_with(c)
        if isinstance(c.left, ColumnRef) and isinstance(item, Literal)
    }
    doubtful, named = set[object](), set[object]()
    for value in linking.values:
        unlike = value.match in {"typo", "partial"} and value.probability < _LIKELY
        (doubtful if unlike else named).add((value.column, value.value))
    return held.isdisjoint(doubtful - named)


def _opened(query: Query) -> Query:
    """The query with the conditions of its CASEs among its own, where their values are seen."""
    inside: list[Condition] = [e.condition for e in expressions(query) if isinstance(e, CaseWhen)]
    return replace(query, where=conjunction(query.where, *inside)) if inside else query
