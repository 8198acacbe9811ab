"""One follow-up read against the query before it: its words, what they name, what has to be accounted for."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from functools import cached_property

from fathom.knowledge import KnowledgePack
from fathom.offline.followups.wordlists import (
    COUNTING,
    EARLIEST,
    INSTEAD,
    LATEST,
    SILENT,
    Phrase,
)
from fathom.offline.linking import ColumnKey, Linking, Span
from fathom.offline.linking.columns import schema_columns
from fathom.offline.linking.cues import superlative_direction
from fathom.offline.linking.levels import NAMED
from fathom.offline.linking.text import name_stems
from fathom.offline.linking.wordlists import AFTER, BEFORE, LIGHT, NEGATIONS
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import (
    Aggregate,
    ColumnRef,
    ComparisonPredicate,
    Expression,
    FunctionCall,
    Query,
    TableRef,
    conjuncts,
    is_aggregate,
    mentioned_tables,
)
from fathom.offline.queries.rows import NAMES, RowNames
from fathom.records.schema import Schema

HINTED = 0.35
"""From what alignment on a word may stand for a column of the query's own table, where no other fits
better: "cost" is aligned with a price at 0.4."""
NEAR = 1.5
"""The cost of one join by a declared key, with some to spare: columns farther away are never meant."""
_COMPARING = frozenset(w for phrase in (*BEFORE, *AFTER) for w in phrase if len(phrase) == 1)
_TELLING = (
    frozenset("by per each all every any other both first last before after between".split())
    | {p[0] for p in COUNTING if len(p) == 1}
    | _COMPARING
)
"""Words of grammar that change what is asked, so that something has to account for them."""
SURE_MATCHES = frozenset(("exact", "folded", "stem", "code", "boolean", "quoted"))
"""How words match a value that they name as a whole."""
DATED = frozenset(("date", "datetime", "time"))


@dataclass(frozen=True)
class Edit:
    """One change that a follow-up asks for: the places of the words it accounts for, and the change.

    `stage` orders the changes of one follow-up. Two of one `kind` exclude each other, and so do kinds that
    `excludes` names by their beginnings: no word is to be lost in a change that another one undoes.
    `weight` is how likely the reading is, in log-odds; only differences count.
    """

    kind: str
    places: frozenset[int]
    change: Callable[[Query], Query | None]
    stage: int
    weight: float = 0.0
    excludes: tuple[str, ...] = ()

    def fits(self, other: "Edit") -> bool:
        """True if both can be made: they share no word, and neither undoes the other."""
        apart = self.kind != other.kind and not self.places & other.places
        return (
            apart
            and not other.kind.startswith(self.excludes or ("-",))
            and not self.kind.startswith(other.excludes or ("-",))
        )


@dataclass(frozen=True)
class FollowUpReading:
    """A follow-up's words and the query that it edits."""

    linking: Linking
    query: Query
    schema: Schema
    planner: JoinPlanner
    rows: RowNames
    knowledge: KnowledgePack = field(default_factory=KnowledgePack)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words in lower case."""
        return tuple(t.lower.replace("\u2019", "'") for t in self.linking.tokens)

    @cached_property
    def tables(self) -> tuple[str, ...]:
        """The tables of the query."""
        return tuple(dict.fromkeys(t.name for t in mentioned_tables(self.query)))

    @cached_property
    def kinds(self) -> dict[ColumnKey, str]:
        """The kind of every column."""
        return {key: column.kind for key, column in schema_columns(self.schema)}

    @cached_property
    def home(self) -> str:
        """The table whose rows the query shows, counts or calculates with."""
        shown = [e.table.name for e in self.query.select if isinstance(e, ColumnRef)]
        inside = [c.table.name for e in self.aggregates if isinstance(c := e.argument, ColumnRef)]
        counted = [t.name for t in self.query.tables] if self.aggregates else []
        return (inside or counted or shown or list(self.tables))[0]

    @cached_property
    def aggregates(self) -> tuple[Aggregate, ...]:
        """The aggregates that the query shows."""
        return tuple(e for e in self.query.select if isinstance(e, Aggregate))

    @property
    def is_one_number(self) -> bool:
        """True if the query shows one aggregate of all its rows."""
        return not self.query.group and len(self.query.select) == 1 and is_aggregate(self.query.select[0])

    @property
    def lists(self) -> bool:
        """True if the query lists rows."""
        return not self.query.group and not any(is_aggregate(e) for e in self.query.select)

    @cached_property
    def content(self) -> frozenset[int]:
        """The places of the words that something has to account for."""
        return frozenset(i for i in range(len(self.words)) if self._says_something(i))

    def _says_something(self, place: int) -> bool:
        token, word = self.linking.tokens[place], self.words[place]
        if token.kind == "sign" or token.evidence:
            return False
        if token.kind == "number" or word in NEGATIONS or word in _TELLING or superlative_direction(token):
            return True
        if word in {"which", "who"} and self.is_one_number and place <= 1:
            return True
        if word in {"how", "many"}:
            return self.words[place : place + 2] == ("how", "many") or self.words[place - 1] == "how"
        # "Phone numbers" are phones.
        of_column = word in {"number", "numbers"} and place > 0 and self._column_at(place - 1) is not None
        return not token.stop and word not in SILENT and not of_column

    @cached_property
    def known(self) -> frozenset[int]:
        """The places of words that say what the query says already: its rows, and that they are there.

        A table's own name, what the groups are called, and verbs such as "placed" and "live".
        """
        linking, known = self.linking, set[int]()
        grouped = [ColumnKey.of(c) for c in self.query.group if isinstance(c, ColumnRef)]
        for place, token in enumerate(linking.tokens):
            fits = [linking.table_fit(t, place) for t in self.tables]
            groups = [float(linking.alignment[linking.index[k], place]) for k in grouped]
            # "which type has the fewest", of groups by `molecular_type`
            part = len(token.stem) > 2 and any(token.stem in k.column.casefold() for k in grouped)
            if max((*fits, *groups), default=0.0) >= NAMED or token.lower in LIGHT or part:
                known.add(place)
        return frozenset(known - self._negated - self.valued)

    @cached_property
    def _negated(self) -> frozenset[int]:
        return frozenset(i for s in self.linking.negations for i in range(s.first, s.end))

    def phrase(self, phrases: Iterable[Phrase], start: int = 0) -> frozenset[int]:
        """The places of the first of these phrases that the follow-up has from a place on; empty without."""
        for phrase in phrases:
            size = len(phrase)
            for place in range(start, len(self.words) - size + 1):
                if self.words[place : place + size] == phrase:
                    return frozenset(range(place, place + size))
        return frozenset()

    def having(self, words: Collection[str]) -> frozenset[int]:
        """The places of any of these words."""
        return frozenset(i for i, w in enumerate(self.words) if w in words)

    @property
    def replaces(self) -> bool:
        """True if the follow-up says that something stands in the place of what was there."""
        return bool(self.having(INSTEAD))

    def near(self, table: str) -> bool:
        """True if a table is one of the query's, or joined to one of them by a key."""
        return any(self.planner.distance(table, t) <= NEAR for t in self.tables)

    def columns_named(self, places: Iterable[int] | None = None) -> dict[ColumnKey, frozenset[int]]:
        """The columns that words name, each with the places of its words; best for each word.

        Those of the query's own tables go before those of tables joined to them.
        """
        found: dict[ColumnKey, set[int]] = {}
        for place in sorted(range(len(self.words)) if places is None else places):
            if (key := self._column_at(place)) is not None:
                found.setdefault(key, set()).add(place)
        return {key: frozenset(at) for key, at in found.items()}

    def _column_at(self, place: int) -> ColumnKey | None:
        token, word = self.linking.tokens[place], self.words[place]
        whole = any(m.span.first <= place < m.span.end - 1 for m in self.linking.column_mentions)
        an_end = word in LATEST | EARLIEST and not whole  # but the "first" of "first name"
        silent = word in SILENT or an_end or token.lower in LIGHT or superlative_direction(token) is not None
        if token.kind != "word" or place in self.valued or silent or (token.stop and word not in NAMES):
            return None
        spelt = self._joined_name(place)
        if spelt is not None:
            return spelt
        if place in self._of_other_tables:
            return None
        if word not in NAMES:  # "and phase 3?", of rows that are compared by a phase already
            for key in self.compared:
                if token.stem in name_stems(key.column):
                    return key
        scored = [(self._fit(c, place), c) for c in self.linking.columns if self.near(c.table)]
        best = max(scored, key=lambda s: s[0], default=(0.0, None))
        return best[1] if best[0] >= HINTED else None

    @cached_property
    def valued(self) -> frozenset[int]:
        """The places of words that name values and no column: a country's name also hints at its column."""
        linking = self.linking
        spans = (*(m.span for m in linking.column_mentions), *(m.span for m in linking.table_mentions))
        named = {i for s in spans for i in span_places(s)}
        whole = [v for v in self.linking.values if v.match in SURE_MATCHES and self.near(v.column.table)]
        likely = {i for v in whole if v.probability >= NAMED for i in span_places(v.span)}
        return frozenset(({i for v in whole for i in span_places(v.span)} - named) | likely)

    @cached_property
    def _of_other_tables(self) -> frozenset[int]:
        """The places of words that name a table which the query doesn't read, and no column of its own."""
        others = [m for m in self.linking.table_mentions if m.table not in self.tables and m.whole]
        own = [m for m in self.linking.column_mentions if m.column.table in self.tables]
        named = {i for m in own for i in span_places(m.span)}
        return frozenset({i for m in others for i in span_places(m.span)} - named)

    def _fit(self, column: ColumnKey, place: int) -> float:
        """How well a word names a column: words of one mention together, columns of the home table first."""
        linking = self.linking
        fit = float(linking.alignment[linking.index[column], place])
        whole = [
            m.score for m in linking.column_mentions
            if m.column == column and m.span.first <= place < m.span.end and m.span.end - m.span.first > 1
        ]  # fmt: skip
        fit = max((fit, *whole))
        if column.table not in self.tables:
            return fit - 0.3 if fit >= NAMED else 0.0
        return fit + 0.2 * (column.table == self.home) if fit >= HINTED else 0.0

    def _joined_name(self, place: int) -> ColumnKey | None:
        """The column of the home table whose name begins with a verb and its particle: "signed up"."""
        after = self.words[place + 1] if place + 1 < len(self.words) else ""
        spelt = f"{self.linking.tokens[place].stem}{after}"
        if not after.isalpha() or len(spelt) < 5:
            return None
        names = (c for c in self.linking.columns if c.table == self.home)
        return next((c for c in names if _letters(c.column).startswith(spelt)), None)

    def names_wholly(self, column: ColumnKey, places: frozenset[int]) -> bool:
        """True if words are part of a column's name or of a synonym, and not merely near it in meaning."""
        spans = [m.span for m in self.linking.column_mentions if m.column == column]
        mentioned = {i for s in spans for i in span_places(s)}
        spelt = any(self._joined_name(i) == column for i in places)
        return spelt or bool(places & mentioned)

    def date_columns(self) -> list[ColumnKey]:
        """The columns of dates that the query compares, then those of its tables, likeliest first."""
        compared = [key for key in self.compared if self.kinds.get(key) in DATED or _is_date(key)]
        dated = [
            c for c in self.linking.columns
            if c.table in self.tables and (self.kinds[c] in DATED or _is_date(c))
        ]  # fmt: skip
        named = self.columns_named()
        dated.sort(key=lambda c: (c not in named, c.table != self.home, -self.linking.score(c, "where")))
        return list(dict.fromkeys((*(c for c in dated if c in named), *compared, *dated)))

    @cached_property
    def compared(self) -> tuple[ColumnKey, ...]:
        """The columns that the query's conditions compare."""
        return tuple(key for part in self.conditions if (key := compared_column(part)) is not None)

    @cached_property
    def conditions(self) -> tuple[ComparisonPredicate, ...]:
        """The comparisons that all hold at once in the query."""
        return tuple(p for p in conjuncts(self.query.where) if isinstance(p, ComparisonPredicate))

    def all_tables(self) -> tuple[TableRef, ...]:
        """The tables of the query, to be kept where its SELECT changes."""
        return tuple(dict.fromkeys((*self.query.tables, *mentioned_tables(self.query))))

    def measure(self) -> Expression | None:
        """The measure of the groups, or the one amount that the rows show; None without one."""
        if self.query.group:
            return self.aggregates[0] if self.aggregates else None
        amounts = [
            e for e in self.query.select if isinstance(e, ColumnRef) and self.rows.measures(ColumnKey.of(e))
        ]
        return amounts[0] if len(amounts) == 1 else None


def span_places(span: Span) -> frozenset[int]:
    """The places of a span."""
    return frozenset(range(span.first, span.end))


def compared_column(part: ComparisonPredicate) -> ColumnKey | None:
    """The column that a comparison is about, also where its case is folded first."""
    match part.left:
        case ColumnRef() as column:
            return ColumnKey.of(column)
        case FunctionCall("lower" | "upper" | "strftime" | "date", arguments=arguments):
            columns = [a for a in arguments if isinstance(a, ColumnRef)]
            return ColumnKey.of(columns[0]) if len(columns) == 1 else None
    return None


def _letters(name: str) -> str:
    return "".join(c for c in name.casefold() if c.isalpha())


def _is_date(column: ColumnKey) -> bool:
    return "date" in column.column.casefold()
