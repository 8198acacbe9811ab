"""Why there is no answer, as far as the data tell, and what could be asked instead.

Each question offered was asked before, by the same method, and is answered for sure.
"""

import re
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any

from rapidfuzz import fuzz, process
from sqlglot import exp

from fathom.answering.headings import empty_tables
from fathom.databases import Database
from fathom.databases.parsing import parsed
from fathom.errors import FathomError, QueryError
from fathom.methods import Context, Method, find_method, run_method
from fathom.records import Draft, Limits, Question, Refusal, Table, TableProfile, shown_column
from fathom.records.schema import DATED
from fathom.retrieval import ValueIndex
from fathom.text.identifiers import spoken
from fathom.text.inflection import plural, singular
from fathom.text.patterns import Pattern

MOST_OFFERED = 3
LOOKED_FOR = 2.0
"""Seconds spent on what to ask instead: a person waits for it."""
MOST_WORDS = 3
"""Words that nothing accounts for of which the nearest names are looked for."""
NEAR = 75.0
"""Likeness, of 100, from which a name may be the misspelt word: 80 of "albms" and "albums" swap or lack one
letter, while "weather" and "whether" name nothing anyway."""
_NEAR_VALUE = 0.8
"""Likeness, of 1, from which a word may be one of a value, misspelt. Four letters with one changed are
0.75 alike, and "paid" is no slip for "Mama Said"."""
_MOST_KINDS = 30
_MOST_UNKNOWN = 0.1
_SAYS_YEAR = Pattern(r"(?<![\d.,])(1[5-9]\d\d|20\d\d)(?![\d.,]*\d)")
_QUICKLY = Limits(seconds=3)


@dataclass(frozen=True, slots=True)
class Range:
    """From when to when a column of dates runs, as the database holds them."""

    table: str
    column: str
    first: Any
    last: Any

    @property
    def years(self) -> range:
        """The years that the column has dates of."""
        return range(int(str(self.first)[:4]), int(str(self.last)[:4]) + 1)

    def told(self, year: int) -> str:
        """That nothing is of a year, and of when there is something."""
        first, last = shown_column("", [self.first, self.last])
        rows, said = spoken(self.table), spoken(self.column)
        of = "" if singular(rows) in said else f" of {plural(rows)}"
        return f"There is nothing from {year}: {said}{of} runs from {first[:10]} to {last[:10]}."


async def with_reasons(draft: Draft, refusal: Refusal, method: Method, context: Context) -> Refusal:
    """The refusal with what the data tell of its cause, the nearest names, and questions that work instead.

    Where readings are shown these come instead, but for the words spelt otherwise.
    """
    search = _SimilarQuestionSearch(draft.question, method, context)
    outside = await search.outside()
    if outside is not None:
        return outside
    near = [*_near(refusal.missing, context)]
    reason = " ".join((refusal.reason, *(n.told for n in near)))
    offered = [q async for q in search.working(_instead(draft, near, context))]
    return replace(refusal, reason=reason, instead=tuple(offered))


def outside_of(sql: str, question: str, database: Database) -> str:
    """That a query finds nothing since its dates don't reach the year asked for; empty where they do."""
    for year in _years(question):
        found = _range_asked(sql, year, database)
        if found is not None and year not in found.years:
            return found.told(year)
    return ""


def _years(question: str) -> list[int]:
    return [int(y) for y in dict.fromkeys(_SAYS_YEAR.findall(question))]


class _SimilarQuestionSearch:
    """Asks questions like the one asked, for as long as a person would wait."""

    def __init__(self, question: Question, method: Method, context: Context) -> None:
        self._question, self._context = question, context
        # No model is paid for what nobody asked.
        self._method = find_method("offline") if method.asks_model else method
        self._until = monotonic() + LOOKED_FOR

    async def _answered(self, text: str) -> Draft | None:
        """Answer another question, if that is sure and there is time; None otherwise."""
        if monotonic() > self._until or not isinstance(self._method, Method):
            return None
        asked = replace(self._question, text=text)
        context = replace(self._context, model=None, watch=None, meter=type(self._context.meter)())
        try:
            found = await run_method(self._method, asked, context)
        except FathomError:
            return None
        sure = found.sql is not None and found.refusal is None and not found.readings
        return found if sure else None

    async def working(self, texts: Iterator[str]) -> AsyncIterator[str]:
        """Those of some questions that are answered, and have rows to show."""
        count = 0
        for text in texts:
            if count == MOST_OFFERED or monotonic() > self._until:
                return
            found = await self._answered(text)
            if found is not None and found.result is not None and _says_something(found.result.rows):
                count += 1
                yield text

    async def outside(self) -> Refusal | None:
        """That the data have no such year, where the question is answered for one that they have."""
        text, database = self._question.text, self._context.database
        years = _years(text)
        if len(years) != 1:
            return None
        for other in _years_held(database, years[0]):
            asked = _SAYS_YEAR.sub(str(other), text)
            found = await self._answered(asked)
            held = None if found is None or found.sql is None else _range_asked(found.sql, other, database)
            if held is not None and years[0] not in held.years:
                rows = found.result.rows if found is not None and found.result is not None else ()
                instead = (asked,) if _says_something(rows) else ()
                return Refusal(held.told(years[0]), instead=instead, outside=True)
        return None


def _says_something(rows: Sequence[Sequence[Any]]) -> bool:
    return any(cell not in (None, 0) for row in rows for cell in row)


def _years_held(database: Database, year: int) -> list[int]:
    """The last years of columns of dates that don't reach a year, those of the largest tables first."""
    found: dict[int, int] = {}
    for table in database.schema.tables:
        profile = database.profile().get(table.name)
        for column in profile.columns.values() if profile is not None else ():
            dated = (column.pattern or "").startswith("%Y") or table.column(column.column).kind in DATED
            first, last = (str(v)[:4] for v in (column.minimum, column.maximum))
            if dated and first.isdigit() and last.isdigit() and not int(first) <= year <= int(last):
                found[int(last)] = max(found.get(int(last), 0), table.row_count or 0)
    return sorted(found, key=lambda y: -found[y])[:4]


def _range_asked(sql: str, year: int, database: Database) -> Range | None:
    """The column of dates that a query compares with a year, and from when to when it runs."""
    query = parsed(sql, database.dialect)
    if query is None:
        return None
    tables = [t.name for t in query.find_all(exp.Table)]
    for test in query.find_all(exp.Like, exp.EQ, exp.GTE, exp.GT, exp.LT, exp.LTE, exp.Between):
        values = [v.name for v in test.find_all(exp.Literal)]
        column = test.find(exp.Column)
        if column is None or not any(v.startswith(str(year)) for v in values):
            continue
        for table in (t for t in database.schema.tables if t.name.rpartition(".")[2] in tables):
            if any(c.name == column.name for c in table.columns):
                return _range(table, column.name, database)
    return None


def _range(table: Table, column: str, database: Database) -> Range | None:
    held = exp.column(column, quoted=True)
    db, _, name = table.name.rpartition(".")
    query = exp.select(exp.Min(this=held.copy()), exp.Max(this=held.copy()))
    query = query.from_(exp.table_(name, db=db or None, quoted=True))
    try:
        ((first, last),) = database.run(query.sql(database.dialect), _QUICKLY).rows
    except (QueryError, ValueError):
        return None
    known = first is not None and str(first)[:4].isdigit() and str(last)[:4].isdigit()
    return Range(table.name, column, first, last) if known else None


# The nearest names


@dataclass(frozen=True, slots=True)
class _Near:
    """The nearest match of a word: a name that may be put in its place, or a value, and the words for it."""

    word: str
    name: str
    told: str


def _near(words: Sequence[str], context: Context) -> Iterator[_Near]:
    database = context.database
    names: dict[str, str] = {}
    for table in database.schema.tables:
        said = spoken(table.name)
        names.setdefault(plural(said), f"the table {table.name}")
        for column in table.columns:
            names.setdefault(spoken(column.name), f"the column {column.name} of {table.name}")
    for word in words[:MOST_WORDS]:
        folded = word.casefold()
        called = process.extractOne(folded, list(names), scorer=_likeness, score_cutoff=NEAR)
        if called is not None:
            name = str(called[0])
            yield _Near(word, name, f"The closest match for “{word}” is {names[name]}.")
        elif (value := _value_near(word, context)) is not None:
            yield _Near(word, "", f"The closest match for “{word}” is {value}.")


def _likeness(word: str, name: str, **options: Any) -> float:
    """How alike a word and a name are, or a word of it; 0 to 100."""
    return max(fuzz.ratio(word, part, **options) for part in (name, *name.split(), singular(name)))


def _value_near(word: str, context: Context) -> str | None:
    """The value that is spelt most alike, or has the word in it, and where it stands."""
    if context.cache is None or len(word) < len("abc"):
        return None
    try:
        index = ValueIndex.kept(context.database, context.cache)
    except FathomError:
        return None
    if index is None:
        return None
    with index:
        found = [m for m in index.lookup(word, limit=3) if m.similarity >= _NEAR_VALUE]
        found = [m for m in found if str(m.value).casefold() != word.casefold()]  # it was tried already
    return f"“{found[0].value}” in {found[0].column} of {found[0].table}" if found else None


# Other questions to ask


def _instead(draft: Draft, near: Sequence[_Near], context: Context) -> Iterator[str]:
    """Questions that may be meant, or lead on: with words spelt as the database has them, of its tables."""
    text = draft.question.text
    for found in near:
        if found.name:
            yield re.sub(rf"(?<!\w){re.escape(found.word)}(?!\w)", found.name, text)
    if draft.readings:
        return
    database = context.database
    empty = set(empty_tables(draft.sql or "", database.dialect, database.schema))
    for table in _tables(draft, database):
        if table.name in empty or table.row_count == 0:
            continue
        note = context.knowledge.tables.get(table.name)
        said = plural(note.name if note is not None and note.name else spoken(table.name))
        kind = _kind(table, database.profile().get(table.name))
        yield f"How many {said} are there by {kind}?" if kind else f"How many {said} are there?"


def _tables(draft: Draft, database: Database) -> list[Table]:
    """The tables that the best guesses read, then the others, the largest first."""
    likely: dict[str, None] = {}
    for sql in (draft.sql, *(c.sql for c in draft.candidates[:MOST_OFFERED])):
        query = parsed(sql, database.dialect) if sql else None
        likely |= dict.fromkeys(t.name.casefold() for t in query.find_all(exp.Table)) if query else {}
    places = list(likely)

    def rank(table: Table) -> tuple[int, int]:
        name = table.name.rpartition(".")[2].casefold()
        return (places.index(name) if name in likely else len(places), -(table.row_count or 0))

    return sorted((t for t in database.schema.tables if not t.is_view), key=rank)[: 2 * MOST_OFFERED]


def _kind(table: Table, profile: TableProfile | None) -> str:
    """A column by which rows are of a few kinds, in words; empty where there is none."""
    for column in table.columns:
        seen = profile.columns.get(column.name) if profile is not None else None
        if seen is None or column.kind != "text" or column.name in table.primary_key:
            continue
        known = seen.null_share <= _MOST_UNKNOWN
        few = (
            known and seen.distinct is not None and 1 < seen.distinct <= min(_MOST_KINDS, seen.rows_seen // 2)
        )
        if few and seen.format in {"plain", "code"}:
            return spoken(column.name)
    return ""
