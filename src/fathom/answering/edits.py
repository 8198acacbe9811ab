"""Follow-ups as edits of the query before: another value, one more condition, other columns or order.

"And in 2010?" means the last question with another year. What it edits is the query that answered that
question, so nothing else of it changes. No model is needed.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from fathom.answering.followup import COUNTING
from fathom.offline.engine import OfflineEngine
from fathom.offline.linking import ColumnKey, Linking
from fathom.offline.linking.cues import superlative_direction
from fathom.offline.queries.parsing import parse
from fathom.offline.queries.query import (
    NEGATED,
    Aggregate,
    ColumnRef,
    ComparisonPredicate,
    Condition,
    Connective,
    Expression,
    Items,
    Literal,
    OrderKey,
    Query,
    Star,
    TableRef,
    Unrepresentable,
    comparisons,
    conjunction,
    mentioned_tables,
)
from fathom.offline.queries.rendering import render
from fathom.offline.queries.rows import RowNames
from fathom.offline.sketching.comparing import Comparisons, ValueOption
from fathom.records import Question
from fathom.text.patterns import Pattern

_OPENS = Pattern(
    r"^(?:and|or|but|also|now|then|instead|only|just|same|what about|how about|not|except|without|excluding|"
    r"sort|order|rank|reverse|descending|ascending|top|first|last|the (?:top|first|last|average|total|other)|"
    r"by|per|for|in|from|of|with|group|break|split|count|limit|keep|"
    r"how many(?: (?:are there|of (?:them|those|these)|is that))?\W*$|which of)\b",
    re.IGNORECASE,
)
_POINTS_BACK = Pattern(r"\b(?:them|they|their|those|these|ones?|its?)\b", re.IGNORECASE)
_LONGEST = 12
_SORT = Pattern(
    r"\b(?:sort|order|rank|arrange)(?:ed|ing)?(?:\s+(?:them|those|these|it))?\s+by\b", re.IGNORECASE
)
_REVERSED = Pattern(r"\b(?:reverse|opposite|other way|(?:de|a)scending)\b(?!.*\bby\b)", re.IGNORECASE)
_FALLING = Pattern(
    r"\b(?:descending|desc|reverse|down|highest first|largest first|newest first)\b", re.IGNORECASE
)
_TOP = Pattern(r"\b(?P<which>top|first)\b(?:\s+(?P<number>\w+))?", re.IGNORECASE)
_GROUP = Pattern(
    r"^(?:and\s+|now\s+)?(?:(?:group|break|split)(?:ed)?\s+(?:(?:it|that|them|those)\s+)?(?:down\s+)?)?"
    r"(?:by|per|for each)\s+\w+",
    re.IGNORECASE,
)
_MORE = Pattern(r"\b(?:also|too|as well|add|and (?:also )?(?:show|their|its))\b", re.IGNORECASE)
_ALL = Pattern(
    r"\b(?:all of (?:them|those)|without (?:the|that|any) (?:filter|condition)s?|no filter)\b", re.IGNORECASE
)
_NOT = Pattern(r"\b(?:not|except|excluding|without|other than|but no)\b", re.IGNORECASE)
_ADDS = Pattern(r"\b(?:only|just|those|these|them|they|ones|keep)\b", re.IGNORECASE)
_LIST = Pattern(
    r"^(?:and\s+|now\s+|please\s+)?"
    r"(?:(?:list|show|name|give me|tell me|display)\s+(?:me\s+)?(?:them|those|these)(?:\s+all)?"
    r"|(?:which|what|who)(?:\s+ones)?(?:\s+(?:are|were) (?:they|those|these|the ones))?)$",
    re.IGNORECASE,
)
_FUNCTIONS = {
    "avg": ("average", "mean", "avg"), "sum": ("total", "sum", "altogether"),
    "max": ("maximum", "max", "highest", "largest", "biggest", "most"),
    "min": ("minimum", "min", "lowest", "smallest", "least"),
}  # fmt: skip
_EXCLUDABLE = ("=", "like", "between")
_NAMED = 0.5
_HERE = 3.0
_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@dataclass(frozen=True)
class EditedFollowUp:
    """A query edited as a follow-up says, and its SQL."""

    query: Query
    sql: str


def is_follow_up(text: str) -> bool:
    """True if a text is short and opens as no whole question does, or points back to what was shown."""
    said = _bare(text)
    short = len(said.split()) <= _LONGEST
    return bool(said) and short and bool(_OPENS.match(said) or _POINTS_BACK.search(said))


def _bare(text: str) -> str:
    return " ".join(text.split()).strip("?.! ")


def edit(text: str, sql: str, engine: OfflineEngine) -> EditedFollowUp | None:
    """The query before, `sql`, edited as a follow-up says; None where the text is none that can be read."""
    if not is_follow_up(text):
        return None
    said = _bare(text)
    dialect = engine.database.dialect
    try:
        before = parse(sql, engine.planner, dialect)
        query = _Editor(said, before, engine).edited()
        if query is None or query == before:
            return None
        return EditedFollowUp(query, render(query, engine.planner, dialect))
    except Unrepresentable:
        return None


class _Editor:
    """Reads one follow-up against the query before."""

    def __init__(self, said: str, query: Query, engine: OfflineEngine) -> None:
        self.said, self.query, self.engine = said, query, engine
        self.linking: Linking = engine.link(Question(said))
        self.rows = RowNames(engine.schema)
        self.tables = [t.name for t in mentioned_tables(query)]

    def edited(self) -> Query | None:
        """The query edited in the first way that fits."""
        if self.query.source is not None or self.query.compound is not None:
            return self._counted() if COUNTING.match(self.said) else None
        ways: tuple[Callable[[], Query | None], ...] = (
            self._counted, self._listed, self._unfiltered, self._sorted, self._reversed, self._cut,
            self._grouped, self._summarised, self._restricted, self._extreme, self._shown,
        )  # fmt: skip
        return next((found for way in ways if (found := way()) is not None), None)

    def _counted(self) -> Query | None:
        if not COUNTING.match(self.said):
            return None
        query = replace(self.query, order=())
        count = Aggregate("count", Star())
        plain = not (query.group or query.distinct or query.limit or query.compound or query.source)
        if plain and not any(isinstance(e, Aggregate) for e in query.select):
            tables = tuple(dict.fromkeys(mentioned_tables(query)))
            return replace(query, select=(count,), tables=tables)
        return Query((count,), source=self.query)

    def _listed(self) -> Query | None:
        """The rows that were counted or summed up, by their names, with what was summed up of them."""
        query = self.query
        summed = [e for e in query.select if isinstance(e, Aggregate)]
        if not _LIST.match(self.said) or not summed or query.group or len(summed) < len(query.select):
            return None
        tables = tuple(dict.fromkeys((*query.tables, *mentioned_tables(query))))
        of, counted = summed[0].argument, summed[0].function == "count"
        if counted and isinstance(of, ColumnRef):
            select: tuple[Expression, ...] = self.rows.of(of) or (of,)
        else:
            home = of.table if isinstance(of, ColumnRef) else tables[0]
            select = (*self.rows.called(home), *(() if counted else (of,))) or (Star(),)
        return replace(query, select=select, distinct=counted and isinstance(of, ColumnRef), tables=tables)

    def _unfiltered(self) -> Query | None:
        if not _ALL.search(self.said) or self.query.where is None:
            return None
        return replace(self.query, where=None, tables=mentioned_tables(self.query))

    def _sorted(self) -> Query | None:
        found = _SORT.search(self.said)
        if found is None:
            return None
        keys = self._ordering_keys(self.said[found.end() :])
        falling = bool(_FALLING.search(self.said))
        return replace(self.query, order=tuple(OrderKey(k, falling) for k in keys)) if keys else None

    def _ordering_keys(self, words: str) -> tuple[Expression, ...]:
        """Find the sort keys: columns that the words name, or an aggregate that is shown ("by their
        number").

        Groups are ordered by what they are told apart by."""
        aggregates = [e for e in self.query.select if isinstance(e, Aggregate)]
        if aggregates and re.search(r"\b(?:number|count|average|total|sum|amount)\b", words, re.IGNORECASE):
            return (aggregates[0],)
        if self.query.group:
            asked = self._columns(words)
            return tuple(c for c in asked if c in self.query.group)
        return self._columns(words)

    def _reversed(self) -> Query | None:
        if not self.query.order or not _REVERSED.search(self.said):
            return None
        asked = re.search(r"\b(de|a)scending\b", self.said, re.IGNORECASE)
        turned = (
            replace(o, descending=asked[1].lower() == "de" if asked else not o.descending)
            for o in self.query.order
        )
        return replace(self.query, order=tuple(turned))

    def _cut(self) -> Query | None:
        found = _TOP.search(self.said)
        number = (found["number"] or "").casefold() if found else ""
        if found is None or not (number.isdecimal() or number in {"", "one", *_WORDS}):
            return None
        count = int(number) if number.isdecimal() else _WORDS.index(number or "one") + 1
        return replace(self.query, limit=count) if 0 < count <= 10_000 else None

    def _grouped(self) -> Query | None:
        if not _GROUP.match(self.said):
            return None
        columns = self._columns(self.said)[:1]
        if not columns:
            return None
        measures = tuple(e for e in self.query.select if isinstance(e, Aggregate))
        measures = measures or (Aggregate("count", Star()),)
        tables = tuple(dict.fromkeys((*self.query.tables, *mentioned_tables(self.query))))
        return replace(
            self.query, select=(*columns, *measures), group=columns, order=(), limit=None, distinct=False,
            tables=tables,
        )  # fmt: skip

    def _summarised(self) -> Query | None:
        """Another aggregate of the same, or one of the numbers that were shown."""
        words = self.said.casefold().split()
        function = next((f for f, names in _FUNCTIONS.items() if set(names) & set(words)), None)
        if function is None or (self.linking.values and self._best_values()):
            return None
        had = [e for e in self.query.select if isinstance(e, Aggregate)]
        asked = [c for c in self._columns(self.said) if self.rows.measures(ColumnKey.of(c))]
        argument: Expression | None = asked[0] if asked else None
        if argument is None and had and not isinstance(had[0].argument, Star):
            argument = had[0].argument
        shown = [
            e for e in self.query.select if isinstance(e, ColumnRef) and self.rows.measures(ColumnKey.of(e))
        ]
        argument = argument or (shown[0] if shown and not had else None)
        if argument is None:
            return None
        kept = tuple(e for e in self.query.select if e in self.query.group)
        return replace(
            self.query, select=(*kept, Aggregate(function, argument)), order=(), limit=None, distinct=False
        )

    def _extreme(self) -> Query | None:
        """The other end, or the one that a superlative names: "and the cheapest?"."""
        direction = next((d for t in self.linking.tokens if (d := superlative_direction(t))), None)
        if direction is None:
            return None
        if self.query.order and self.query.limit is not None:
            order = tuple(replace(o, descending=direction == "desc") for o in self.query.order)
            return replace(self.query, order=order)
        for superlative in self.linking.superlatives:
            for key, towards, _ in superlative.columns:
                if key.table in self.tables and self.rows.measures(key):
                    order = (OrderKey(key.in_query(), towards == "desc"),)
                    return replace(self.query, order=order, limit=superlative.count)
        return None

    def _shown(self) -> Query | None:
        columns = self._columns(self.said)
        if not columns or self.query.group:
            return None
        had = tuple(e for e in self.query.select if not isinstance(e, Star | Aggregate))
        more = bool(_MORE.search(self.said))
        tables = tuple(dict.fromkeys((*self.query.tables, *mentioned_tables(self.query))))
        select = tuple(dict.fromkeys((*had, *columns))) if more else columns
        return replace(self.query, select=select, tables=tables)

    def _restricted(self) -> Query | None:
        options = self._best_values()
        if not options:
            return None
        option = options[0]
        condition = _comparison(option)
        if condition is None:
            return None
        heard = condition.right == Literal(False)  # of flags the linking has read the "not" already
        if _NOT.search(self.said) and condition.operator in _EXCLUDABLE and not heard:
            condition = replace(condition, operator=NEGATED[condition.operator])
        replaced = self._exchanged(condition)
        return replaced or replace(self.query, where=conjunction(self.query.where, condition))

    def _exchanged(self, condition: ComparisonPredicate) -> Query | None:
        """The condition in the place of one on the same column; none where both narrow it.

        "Not from France" after France leaves nothing, after Sweden changes nothing: it stands in their place.
        """
        excludes = condition.operator in {NEGATED[o] for o in _EXCLUDABLE}
        for part in comparisons(self.query.where):
            same = isinstance(part.left, ColumnRef) and part.left == condition.left
            sizes = part.operator in {"<", "<=", ">", ">="}
            narrows = sizes and part.operator != condition.operator and _ADDS.search(self.said)
            if same and not narrows and not (excludes and part.operator != "="):
                return replace(self.query, where=_with(self.query.where, part, condition))
        return None

    def _best_values(self) -> list[ValueOption]:
        """List the values that the words compare, best first: those of columns that the query compares come
        ahead."""
        options = Comparisons(self.linking, self.engine.schema)
        compared = {
            ColumnKey.of(c.left) for c in comparisons(self.query.where) if isinstance(c.left, ColumnRef)
        }
        named = {ColumnKey.of(c) for c in self._columns(self.said)}
        found = []
        for option in [*options.single, *options.ranges]:
            if option.column is None:
                continue
            near = min(
                (self.engine.planner.distance(t, option.column.table) for t in self.tables), default=0.0
            )
            here = 2 * _HERE * (option.column in compared) + _HERE * (option.column in named) - _HERE * near
            found.append((option.score + here, option))
        found.sort(key=lambda f: -f[0])
        return [option for score, option in found if score > -_HERE]

    def _columns(self, words: str) -> tuple[ColumnRef, ...]:
        """The columns that words name, in their order; "names" are those of what the query is about."""
        lowered = words.casefold().split()
        linking = self.linking
        home = self._home()
        found: dict[ColumnRef, int] = {}
        for place, token in enumerate(linking.tokens):
            if token.lower not in lowered and token.stem not in lowered:
                continue
            if token.stem == "name":
                found |= dict.fromkeys(self.rows.of_table(TableRef(home)), place)
                continue
            if token.stop:
                continue
            scores = [
                (float(linking.alignment[i, place]) + 0.2 * (c.table == home), c)
                for i, c in enumerate(linking.columns)
                if c.table in self.tables and linking.alignment[i, place] >= _NAMED
            ]
            if scores:
                best = max(scores, key=lambda s: s[0])[1]
                found.setdefault(best.in_query(), place)
        return tuple(sorted(found, key=found.__getitem__))

    def _home(self) -> str:
        """The table whose rows the query shows."""
        shown = [e.table.name for e in self.query.select if isinstance(e, ColumnRef)]
        return (shown or self.tables)[0]


def _comparison(option: ValueOption) -> ComparisonPredicate | None:
    if option.column is None:
        return None
    column = option.column.in_query()
    values = tuple(Literal(b.value) for b in option.bounds)
    if len(values) == 2:
        return ComparisonPredicate(column, "between", Items(values))
    return ComparisonPredicate(column, option.bounds[0].operator, values[0])


def _with(where: Condition | None, old: ComparisonPredicate, new: ComparisonPredicate) -> Condition | None:
    if isinstance(where, Connective):
        parts: Sequence[Condition | None] = [_with(p, old, new) for p in where.parts]
        return replace(where, parts=tuple(p for p in parts if p is not None))
    return new if where == old else where
