"""A query in a phrase, as people would ask for it: “the customer with the most orders”.

A reading to choose by, and a chart's title, are such phrases. They are written from the parse of the query
that runs, so that every condition of it is in them.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from sqlglot import exp

from fathom.answering.conditions import restricting
from fathom.answering.explain import explain, tell
from fathom.answering.expressions import part_of_date, uncast
from fathom.answering.headings import SHORTENED, Headings, lower_first
from fathom.answering.joined_tables import ReadTable
from fathom.answering.phrases import Phrases, join_words
from fathom.answering.row_names import names_of_rows
from fathom.databases import Database
from fathom.databases.parsing import parsed
from fathom.knowledge import KnowledgePack
from fathom.text.identifiers import spoken
from fathom.text.inflection import plural, singular

LONGEST = 300
"""Letters of a phrase; the sentences of a longer one are easier to read."""
_JOINED: Mapping[type[exp.SetOperation], str] = {
    exp.Except: ", but not ",
    exp.Intersect: " that are also ",
    exp.Union: " together with ",
}
_RESTRICTING = tuple(f" {word} " for word in "that whose where with without marked not".split())
"""How words begin that restrict what is before them; others say what it did, as “joined in 2024”."""
_EXTREMES = {True: ("most", "latest", "highest"), False: ("fewest", "earliest", "lowest")}


def restated(sql: str, database: Database, knowledge: KnowledgePack, flags: Collection[str] = ()) -> str:
    """Say in a phrase, without a full stop, what a query gives; in sentences where that would be too long.

    `flags` are the columns, by folded names, that are true or false. Empty for what can't be parsed.
    """
    dialect = database.dialect
    query = parsed(sql, dialect)
    try:
        said = _phrase(query, database, knowledge, flags) if isinstance(query, exp.Query) else ""
    except RecursionError:  # a long chain of AND is as deep as it is long
        said = ""
    return said if 0 < len(said) <= LONGEST else explain(sql, dialect).rstrip(".")


def sources_read(sql: str, dialect: str) -> str:
    """The tables that a query reads, and the columns that join them, as words."""
    query = parsed(sql, dialect)
    said = []
    for table in query.find_all(exp.Table) if query is not None else ():
        on = table.parent.args.get("on") if isinstance(table.parent, exp.Join) else None
        by = _joining(on) if on is not None else []
        said.append(f"{spoken(table.name)}{f' by {join_words(by)}' if by else ''}")
    return " with ".join(dict.fromkeys(said))


def _joining(on: exp.Expr) -> list[str]:
    """The columns that point to a row, in words without the ID; the key that they point to says nothing."""
    names = list(dict.fromkeys(spoken(column.name) for column in on.find_all(exp.Column)))
    telling = [n for n in names if n != "ID" and not any(n != o and o.endswith(n) for o in names)] or names
    return [f"“{name.removesuffix(' ID')}”" for name in telling]


def _phrase(query: exp.Expr, database: Database, knowledge: KnowledgePack, flags: Collection[str]) -> str:
    """The phrase; empty where a part of the query has no place in one."""
    query = query.unnest() if isinstance(query, exp.Subquery) else query
    if isinstance(query, exp.SetOperation):
        sides = [_phrase(side, database, knowledge, flags) for side in (query.left, query.right)]
        cut = any(query.args.get(part) for part in ("order", "limit", "offset", "with_"))
        return _JOINED[type(query)].join(sides) if all(sides) and not cut else ""
    return _Restatement(query, database, knowledge, flags).said if isinstance(query, exp.Select) else ""


class _Restatement:
    """The words for one SELECT over tables."""

    def __init__(
        self, query: exp.Select, database: Database, knowledge: KnowledgePack, flags: Collection[str]
    ) -> None:
        self._database, self._knowledge, self._flags = database, knowledge, flags
        self._query = query.copy()
        self._named = Headings(self._query, database.schema, knowledge)
        self._keys = [self._meant(key) for key in self._clause("group")]
        self._items = [item.unalias() for item in self._query.expressions]
        order = self._query.args.get("order")
        self._order: Sequence[exp.Ordered] = order.expressions if order is not None else ()
        ranked = [self._meant(key.this) for key in self._order]
        self._aggregates = [i for i in self._items if i.find(exp.AggFunc)]
        self._is_counting = bool(self._aggregates or self._keys or any(k.find(exp.AggFunc) for k in ranked))
        self._entity = self._shown_entity()
        self._about = self._spoken_of([k for k in ranked if k.find(exp.Count)])

    @property
    def said(self) -> str:
        query = self._query
        beyond = any(query.args.get(part) for part in ("with_", "windows", "qualify", "laterals", "offset"))
        inside = [s for s in query.find_all(exp.Subquery) if isinstance(s.parent, exp.From | exp.Join)]
        if beyond or inside or query.find(exp.Window) is not None or not self._named.sources:
            return ""
        if any(self._named.of(item) in SHORTENED for item in (*self._aggregates, *self._items)):
            return ""
        where, having = self._restriction("where"), self._restriction("having")
        if having and where:
            having = f" and{having}"
        if self._is_ranking:
            return f"{self._ranked()}{self._where_linked(where)}{having}"
        each = f" for each {join_words(self._groups())}" if self._keys and self._aggregates else ""
        return f"{self._shown()}{self._where_linked(where)}{each}{having}{self._repeats()}{self._sorted()}"

    def _where_linked(self, where: str) -> str:
        """The condition, after the tables that rows must have a row in without being asked of it."""
        finer = self._finer() if self._keys or self._query.args.get("distinct") else []
        told = [plural(s.called) for s in finer if s is not self._about and not self._is_read(s)]
        return (f" with {join_words(told)}" if told else "") + where

    # The things that are shown.

    def _shown(self) -> str:
        if self._keys and not self._aggregates:
            each = self._groups()
            return plural(each[0]) if len(each) == 1 else f"each {join_words(each)}"
        if self._is_counting:
            return self._figures(self._aggregates)
        if self._entity is not None:
            every = "everything about " if any(isinstance(i, exp.Star) for i in self._items) else ""
            return f"{every}{plural(self._entity.called)}"
        different = "different " if self._query.args.get("distinct") else ""
        return f"the {different}{join_words(dict.fromkeys(self._columns()))} of {self._rows}"

    def _columns(self) -> Iterator[str]:
        """The columns of rows; for all columns of a name the thing that they name."""
        shown = {(i.table, i.name) for i in self._items if isinstance(i, exp.Column)}
        for item in self._items:
            of = self._named.source_of(item) if isinstance(item, exp.Column) else None
            names = self._names(of) if of is not None and of is not self._about else ()
            whole = item.name in names and {(item.table, n) for n in names} <= shown
            yield of.called if whole and of is not None else self._column(item)

    def _figures(self, items: Sequence[exp.Expr]) -> str:
        """Figures over rows: “the number of orders”, “the lowest and the highest price of products”."""
        named = [
            f"the {lower_first(self._named.of(item))}".replace(
                "number with ", f"number of {self._rows} with "
            )
            for item in dict.fromkeys(items)
        ]
        of_rows = [n for n in named if " of " not in n and " number " not in n]
        measured = [f"{join_words(of_rows)} of {self._rows}"] if of_rows else []
        return join_words([*(n for n in named if n not in of_rows), *measured])

    def _groups(self) -> list[str]:
        """Each thing that there is one row for."""
        named = [
            singular(rows)
            for key in self._keys
            if isinstance(key, exp.Column) and (rows := self._named.identified(key))
        ]
        keys = {s.called for s in self._named.sources} & {*named}
        others = [
            key
            for key in self._keys
            if not (isinstance(key, exp.Column) and (of := self._named.source_of(key)) and of.called in keys)
        ]
        return list(dict.fromkeys([*named, *(self._key(k) for k in others if not self._identifies(k))]))

    def _identifies(self, key: exp.Expr) -> bool:
        return isinstance(key, exp.Column) and bool(self._named.identified(key))

    def _key(self, key: exp.Expr) -> str:
        if unit := part_of_date(key):
            return unit
        if isinstance(key, exp.Column) and (of := self._named.source_of(key)) is not None:
            if of is not self._finest and key.name in self._names(of):
                return of.called
            return self._column(key)
        return self._column(key)

    def _column(self, item: exp.Expr) -> str:
        """A column's words; with those of its table where it isn't the one whose rows are spoken of."""
        if not isinstance(item, exp.Column):
            return lower_first(self._named.of(item))
        told, of = (
            self._named.date_words(item) or lower_first(self._named.of(item)),
            self._named.source_of(item),
        )
        if of is None or self._about is None:
            return told
        own = told.removeprefix(f"{of.called} ")
        if of is self._about:
            return told if own == "id" else own
        return f"{of.called} {own}"

    # The rows that it is about.

    def _spoken_of(self, counts: Sequence[exp.Expr]) -> ReadTable | None:
        """The table of the things that the phrase names last before it says which; `counts` rank them."""
        if not self._is_counting:
            return self._entity or self._finest
        columns = [key for key in self._keys if isinstance(key, exp.Column) and self._named.identified(key)]
        if counts or not columns or (self._aggregates and not self._order):
            return self._finest
        rows = self._named.identified(columns[0])
        return next((s for s in self._named.sources if plural(s.called) == rows), self._finest)

    @cached_property
    def _finest(self) -> ReadTable | None:
        """The table that no other table of the query refers to; None where there are several."""
        return self._named.finest[0] if len(self._named.finest) == 1 else None

    def _finer(self) -> list[ReadTable]:
        """The finest tables besides the one that is shown: each of its rows comes once for each of theirs."""
        return [s for s in self._named.finest if s is not self._entity]

    @property
    def _rows(self) -> str:
        if self._finest is not None:
            return plural(self._finest.called)
        return " with ".join(dict.fromkeys(plural(s.called) for s in self._named.sources))

    def _shown_entity(self) -> ReadTable | None:
        """The table whose rows are shown by their names, keys or as a whole; None where columns are."""
        plain = [i for i in self._items if not i.find(exp.AggFunc)]
        if not plain:
            return None
        if all(isinstance(i, exp.Star) for i in plain):
            return self._named.sources[0] if len(self._named.sources) == 1 else None
        of = [self._named.source_of(i) if isinstance(i, exp.Column) else None for i in plain]
        first = of[0]
        if first is None or any(s is not first for s in of):
            return None
        names, shown = self._names(first), {i.name for i in plain}
        return first if names and names <= shown <= names | self._key_of(first) else None

    def _names(self, source: ReadTable) -> frozenset[str]:
        """The columns that name a table's rows; its key where none do."""
        schema = self._database.schema
        if source.table not in schema:
            return frozenset()
        named = names_of_rows(source.table, schema, self._database.profile())
        return frozenset(named) or self._key_of(source)

    def _key_of(self, source: ReadTable) -> frozenset[str]:
        schema = self._database.schema
        return frozenset(schema.table(source.table).primary_key if source.table in schema else ())

    def _is_read(self, source: ReadTable) -> bool:
        """True if the query says something of a table beyond how it is joined."""
        return any(
            self._named.source_of(column) is source
            for column in self._query.find_all(exp.Column)
            if column.find_ancestor(exp.Join, exp.Select) is self._query
        )

    def _repeats(self) -> str:
        if self._is_counting or self._query.args.get("distinct") or self._entity is None:
            return ""
        finer = [singular(s.called) for s in self._finer()]
        return f", once for each {join_words(finer)}" if finer else ""

    # The conditions on them.

    def _restriction(self, part: str) -> str:
        clause = self._query.args.get(part)
        if clause is None:
            return ""
        query, others = self._query.copy(), []
        for column in list(query.find_all(exp.Column)):
            if column.parent_select is query:
                said = self._unqualified(column)
                others += [said] if said != column.name else []
                column.replace(exp.column(exp.to_identifier(said, quoted=True)))
        if part == "having":
            for figure in list(query.args[part].find_all(exp.AggFunc)):
                figure.replace(
                    exp.column(exp.to_identifier(lower_first(self._named.of(figure)), quoted=True))
                )
        phrases = replace(
            Phrases.of_query(query, self._inside), say=spoken, for_sentences=True, several_tables=False
        )
        said = restricting(query.args[part].this, phrases, self._flags)
        for other in dict.fromkeys(others):
            said = said.replace(f" whose {other} ", f" where the {other} ")
        ahead, where, more = said.partition(" where the ")
        said = ahead + where + more.replace(" and where the ", " and the ").replace(", where the ", ", the ")
        return said if said.startswith(_RESTRICTING) else f" that{said}"

    def _inside(self, query: exp.Query) -> list[str]:
        """A query within this one: as a phrase, else in sentences."""
        said = _phrase(query, self._database, self._knowledge, self._flags)
        return [said] if said else tell(query)

    def _unqualified(self, column: exp.Column) -> str:
        """A column's name without its table; with the table's word where it isn't of the rows spoken of."""
        of = self._named.source_of(column)
        if of is None or of is self._about or self._about is None:
            return column.name
        said = spoken(column.name)
        return said if said.casefold().startswith(of.called.casefold()) else f"{of.called} {said}"

    # Their order, and how many.

    @property
    def _is_ranking(self) -> bool:
        """True for the first few of things by one measure."""
        things = bool(self._groups()) if self._keys else self._about is not None
        counts = bool(self._aggregates) and not self._keys
        return len(self._order) == 1 and self._limit > 0 and things and not counts

    @property
    def _limit(self) -> int:
        limit = self._query.args.get("limit")
        count = limit.expression if isinstance(limit, exp.Limit) else None
        return int(count.name) if isinstance(count, exp.Literal) and count.is_int else 0

    def _ranked(self) -> str:
        """The first few of the things: “the 3 products with the highest price”."""
        key, ahead = self._order[0], self._beside_groups()
        thing = join_words(self._groups()) if self._keys else ""
        if not thing and self._about is not None:
            thing = self._about.called
            ahead = (
                "" if self._entity is not None else f"the {join_words(dict.fromkeys(self._columns()))} of "
            )
        things = thing if self._limit == 1 else f"{self._limit} {plural(thing)}"
        ranked = self._meant(key.this)
        beside = [i for i in self._aggregates if i != ranked]
        told = f"{ahead}the {things} with the {self._extreme(ranked, descending=bool(key.args.get('desc')))}"
        return f"{told}, and {self._figures(beside)}" if beside else told

    def _beside_groups(self) -> str:
        """The columns that are shown of groups and don't tell these: “the name of ”, ahead of “the city”."""
        of = {s.table: self._names(s) for s in self._named.sources if s.called in self._groups()}
        others = [
            item
            for item in self._items
            if self._keys
            and isinstance(item, exp.Column)
            and item not in self._keys
            and not ((source := self._named.source_of(item)) and item.name in of.get(source.table, ()))
        ]
        return f"the {join_words(dict.fromkeys(self._column(i) for i in others))} of " if others else ""

    def _extreme(self, key: exp.Expr, *, descending: bool) -> str:
        told = lower_first(self._named.of(key))
        if isinstance(key, exp.Count):
            most = _EXTREMES[descending][0]
            return f"{most} {told.removeprefix('number of ').removeprefix('number with ')}"
        column = uncast(key)
        extreme = self._extreme_word(column, descending=descending)
        return f"{extreme} {self._column(column) if isinstance(column, exp.Column) else told}"

    def _sorted(self) -> str:
        limit = f", the first {self._limit}" if self._limit > 1 else ", the first" if self._limit else ""
        if not self._order:
            return limit
        keys = [self._sorted_by(key) for key in self._order]
        return f"{limit}{',' if not limit else ''} by {join_words(keys, 'then')}"

    def _sorted_by(self, key: exp.Ordered) -> str:
        column, is_last_first = self._meant(key.this), bool(key.args.get("desc"))
        if isinstance(column, exp.Column) and self._named.kind_of(column) == "text":
            return self._column(column) + (" (from Z to A)" if is_last_first else "")
        return f"{self._column(column)} ({self._extreme_word(column, descending=is_last_first)} first)"

    def _extreme_word(self, key: exp.Expr, *, descending: bool) -> str:
        dated = isinstance(key, exp.Column) and self._named.is_date(key)
        return _EXTREMES[descending][1 if dated else 2]

    def _clause(self, name: str) -> Sequence[exp.Expr]:
        clause = self._query.args.get(name)
        return clause.expressions if clause is not None else ()

    def _meant(self, key: exp.Expr) -> exp.Expr:
        """An item by its place or by the name that the query gives it; else the expression itself."""
        items: Sequence[exp.Expr] = self._query.expressions
        if isinstance(key, exp.Literal) and key.is_int and 0 < int(key.name) <= len(items):
            return items[int(key.name) - 1].unalias()
        named = (i for i in items if isinstance(i, exp.Alias) and i.alias == key.name)
        item = next(named, None) if isinstance(key, exp.Column) and not key.table else None
        return item.unalias() if item is not None else key
