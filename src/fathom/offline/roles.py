"""Two roles of one table: the airport that a flight leaves and the one that it reaches, sender and receiver.

Where a table has two keys to another, only the words around a value say which of them leads to it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

from fathom.offline.accounting import Accounts, denies_alike, tables_named_first
from fathom.offline.amounts import said_of_money
from fathom.offline.joins import JoinPlanner
from fathom.offline.linking import ColumnKey, Linking, Span, ValueMention
from fathom.offline.linking.text import identifier_words, name_stems, stem
from fathom.offline.linking.wordlists import ROLE_WORDS
from fathom.offline.proposals import Proposal
from fathom.offline.query import (
    Aggregate,
    Column,
    Comparison,
    Condition,
    Connective,
    Expression,
    Literal,
    Query,
    Star,
    Subquery,
    TableRef,
    comparisons,
    conjunction,
    mentioned_tables,
    rebuilt,
    restricted,
)
from fathom.offline.rows import RowNames
from fathom.records import Assumption

_SIDES = {w: side for side, words in ROLE_WORDS.items() for w in words}
_OPPOSITE = {"source": "target", "target": "source", "home": "away", "away": "home"}
_BE = frozenset("is was are were be being named called :".split()) | {"="}
_ARTICLES = frozenset(("the", "a", "an", "of"))
_DID = frozenset(("did", "does", "do", "has", "have", "had"))
_KEY_STEMS = frozenset(map(stem, ("id", "key", "code", "number")))
_LOCATED = frozenset(("in", "at", "on", "for"))
_PERSONS = frozenset(map(stem, (
    "user person people member customer client employee student author player friend contact patient profile".split()
)))  # fmt: skip
_WORDS = {"source": "from where or by whom", "target": "to where or to whom", "home": "home", "away": "away"}
_NAMED = 0.5
_NEAR = 3


@dataclass(frozen=True, slots=True)
class RoleKey:
    """One of the keys of a `table` to the same other: `column` refers to the `key` of `target`, on a side."""

    table: str
    column: str
    target: str
    key: str
    side: str

    @property
    def in_query(self) -> Column:
        """The key as a query names it."""
        return Column(TableRef(self.table), self.column)

    def leads_to(self, condition: Condition) -> Comparison:
        """That the row which the key refers to meets a condition, on it or on what it belongs to."""
        target = Column(TableRef(self.target), self.key)
        inner = Query((target,), where=condition)
        return Comparison(self.in_query, "in", Subquery(inner))


@dataclass(frozen=True, slots=True)
class RolePair:
    """Two keys of a table to the same other, told apart by their sides, and the tables of what they refer to.

    `homes` are the other table and those to which each of its rows belongs.
    """

    keys: tuple[RoleKey, RoleKey]
    homes: tuple[str, ...]

    @property
    def table(self) -> str:
        """The table that has the keys."""
        return self.keys[0].table

    def on(self, side: str) -> RoleKey | None:
        """The key on a side."""
        return next((k for k in self.keys if k.side == side), None)

    def other(self, key: RoleKey) -> RoleKey:
        """The other key."""
        return next(k for k in self.keys if k != key)


def role_pairs(planner: JoinPlanner) -> tuple[RolePair, ...]:
    """The pairs of keys of a schema whose names tell two roles apart."""
    keys: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for key in planner.schema.foreign_keys:
        if len(key.columns) == 1 and key.table != key.target_table:
            keys.setdefault((key.table, key.target_table), []).append((key.columns[0], key.target_columns[0]))
    found = []
    for (table, target), columns in keys.items():
        for (a, key_a), (b, key_b) in combinations(dict.fromkeys(columns), 2):
            sides = _sides(a, b)
            if sides:
                pair = RoleKey(table, a, target, key_a, sides[0]), RoleKey(table, b, target, key_b, sides[1])
                found.append(RolePair(pair, _homes(planner, target, table)))
    return tuple(found)


def _sides(one: str, other: str) -> tuple[str, str] | None:
    """The sides of two keys by their names; where one has none that is known, it is opposite to the other."""
    sides = _side(one), _side(other)
    match sides:
        case str() as a, str() as b if _OPPOSITE[a] == b:
            return a, b
        case str() as a, None:
            return a, _OPPOSITE[a]
        case None, str() as b:
            return _OPPOSITE[b], b
    return None


def _side(column: str) -> str | None:
    return next((_SIDES[w] for w in identifier_words(column) if w in _SIDES), None)


def _homes(planner: JoinPlanner, target: str, table: str) -> tuple[str, ...]:
    """A table, then those that each of its rows belongs to, nearest first."""
    near = [t.name for t in planner.schema.tables if t.name not in {target, table}]
    start = TableRef(target)
    belongs = [
        t for t in near
        if planner.distance(target, t) < _NEAR and planner.one_each(start, (start, TableRef(t)))
        and all(j.left.table.name != table != j.right.table.name
                for j in planner.plans((start, TableRef(t)))[0].joins)
    ]  # fmt: skip
    return (target, *sorted(belongs, key=lambda t: planner.distance(target, t)))


@dataclass(frozen=True, slots=True)
class Named:
    """A row of a pair's `homes` that the question names at a span, by the values there."""

    span: Span
    table: str
    condition: Condition


@dataclass(frozen=True, slots=True)
class Cast:
    """A named row in its role, at places of the question's tokens."""

    key: RoleKey
    named: Named
    places: frozenset[int]


class Casting:
    """Tells for one question and one pair of keys which row it names in which role."""

    def __init__(self, linking: Linking, pair: RolePair, names: RowNames) -> None:
        self._linking, self._pair, self._names = linking, pair, names
        self._words = [t.lower for t in linking.tokens]
        self._deeds = {s for k in pair.keys for s in name_stems(k.column)} - _KEY_STEMS

    def cast(self) -> tuple[Cast, ...]:
        """The rows that are named in a role; nothing where two have the same, or none can be told."""
        found: list[Cast] = []
        for named in self._rows():
            cast = self._cast(named)
            if cast is None:
                continue
            same = next((c for c in found if c.key == cast.key), None)
            if same is not None:
                return ()
            found.append(cast)
        return tuple(found)

    def _rows(self) -> list[Named]:
        """The rows of homes that the question names, in order; a first and a last name together."""
        best: dict[Span, ValueMention] = {}
        homes = self._pair.homes
        values = [
            v for v in self._linking.values
            if v.match in {"exact", "folded"} and v.comparison == "=" and v.column.table in homes
        ]  # fmt: skip
        for value in sorted(values, key=lambda v: (-len(range(*v.span)), homes.index(v.column.table),
                                                   not self._is_name(v.column), -v.probability)):  # fmt: skip
            if not any(value.span.overlaps(s) for s in best):
                best[value.span] = value
        rows: list[Named] = []
        for span, value in sorted(best.items()):
            condition = Comparison(value.column.in_query(), "=", Literal(value.value))
            last = rows[-1] if rows else None
            between = self._words[last.span.end : span.first] if last else []
            if last and set(between) <= {","} and not _compares(last.condition, value.column):
                both = conjunction(last.condition, condition)
                assert both is not None
                rows[-1] = Named(Span(last.span.first, span.end), last.table, both)
            else:
                rows.append(Named(span, value.column.table, condition))
        return rows

    def _is_name(self, column: ColumnKey) -> bool:
        return column.in_query() in self._names.of_table(TableRef(column.table))

    def _cast(self, named: Named) -> Cast | None:
        for way in (self._before, self._after, self._subject):
            cast = way(named)
            if cast is not None:
                return cast
        return None

    def _in(self, side: str | None, named: Named, first: int, end: int) -> Cast | None:
        key = self._pair.on(side) if side else None
        return Cast(key, named, frozenset(range(first, end))) if key else None

    def _before(self, named: Named) -> Cast | None:
        """By what stands before a row's name: "from the city of Boston", "destination is Denver", "leaving"."""
        place = named.span.first - 1
        while place >= 0 and (self._words[place] in _ARTICLES or self._names_home(place)):
            place -= 1
        if place < 0 or self._of_another(place):
            return None
        word, end = self._words[place], named.span.end
        if word in {"by", "for"} | _LOCATED and place:
            verb = self._words[place - 1]
            side = _SIDES.get(verb)
            if word == "for":
                side = "target" if side else None
            elif word == "by":
                side = side if verb.endswith(("ed", "sent", "paid")) else None
                side = self._agent(verb) or side
            return self._in(side, named, place, end)
        while place and self._words[place] in _BE:
            place -= 1
        word = self._words[place]
        side = _SIDES.get(word) or ("target" if stem(word) in self._deeds and not word.endswith("ed") else None)
        return self._in(side, named, place, end)

    def _after(self, named: Named) -> Cast | None:
        """By what stands behind a row's name: "as the away team", "was the sender", "at home"."""
        place = named.span.end
        words = self._words[place : place + 4]
        for step, word in enumerate(words):
            if (side := _SIDES.get(word)) in {"home", "away"} or (side and step and words[0] in _BE | {"as"}):
                end = place + step + 1
                while end < len(self._words) and self._names_home(end):
                    end += 1
                return self._in(side, named, self._opened(named.span.first), end)
            if word not in _BE | _ARTICLES | {"as", "at", "play", "played", "plays"}:
                return None
        return None

    def _opened(self, first: int) -> int:
        """Where what is said of a row begins: "with Ajax as ...", "where Ajax was ...", "did Ajax play ..."."""
        opens = first and self._words[first - 1] in {"with", "where", "when", "had", *_DID}
        return first - 1 if opens else first

    def _subject(self, named: Named) -> Cast | None:
        """By what a row does: "did Ann send", "that Bob received"."""
        place = named.span.end
        if place >= len(self._words):
            return None
        did = named.span.first and self._words[named.span.first - 1] in _DID
        role = next((i for i, w in enumerate(self._words) if _SIDES.get(w) in {"home", "away"}), None)
        if did and role is not None and (key := self._pair.on(_SIDES[self._words[role]])):
            places = {role, *range(named.span.first - 1, min(place + 1, len(self._words)))}
            return Cast(key, named, frozenset(places))
        side = _SIDES.get(self._words[place])
        verb = self._words[place]
        keeps = self._linking.table_alignment[:, place].max(initial=0) >= _NAMED
        first = named.span.first - (1 if did or self._words[named.span.first - 1] in {"that", "which"} else 0)
        return self._in(side, named, first, place if keeps and verb else place + 1)

    def _agent(self, verb: str) -> str | None:
        """Who does what a participle says: "received by" the target, "cited by" the source."""
        side = _SIDES.get(verb)
        if side == "target" and verb.endswith("ed"):
            return "target" if stem(verb) == stem("receive") else "source"
        return side

    def _names_home(self, place: int) -> bool:
        """Whether a word names one of the homes, or a column of theirs, and no role."""
        if self._words[place] in _SIDES or self._linking.tokens[place].stop:
            return False
        tables = self._linking.tables
        return any(
            self._linking.table_alignment[tables.index(t), place] >= _NAMED for t in self._pair.homes
        ) or any(
            a[place] >= _NAMED
            for c, a in zip(self._linking.columns, self._linking.alignment, strict=True)
            if c.table in self._pair.homes
        )

    def _of_another(self, place: int) -> bool:
        """Whether what stands before "from" is a row of another table: "airlines from Canada"."""
        if not place or self._words[place] != "from":
            return False
        near = self._linking.table_alignment[:, place - 1]
        own = near[self._linking.tables.index(self._pair.table)]
        return bool(near.max(initial=0) >= max(_NAMED, own + 0.01))


def _compares(condition: Condition, column: ColumnKey) -> bool:
    parts = condition.parts if isinstance(condition, Connective) else (condition,)
    return any(isinstance(p, Comparison) and p.left == column.in_query() for p in parts)


@dataclass(frozen=True, slots=True)
class InRoles:
    """Rows that the question names in their roles, by which those asked for are restricted."""

    casts: tuple[Cast, ...]
    places: frozenset[int]
    planner: JoinPlanner
    needed: bool = True

    def applied(self, query: Query) -> tuple[Query, Assumption] | None:
        """The query with a condition on the key for each role; through another key where it asks for others."""
        table = TableRef(self.casts[0].key.table)
        where = conjunction(*(c.key.leads_to(c.named.condition) for c in self.casts))
        assert where is not None, "somebody is cast"
        told = Assumption("column", " ".join(_told(c.key) for c in self.casts))
        if query.source is not None or query.compound is not None:
            return None
        if table in mentioned_tables(query):
            return restricted(query, where), told
        for comparison in comparisons(query.where):
            match comparison:
                case Comparison(right=Subquery(query=inner)) if table in mentioned_tables(inner):
                    changed = replace(comparison, right=Subquery(restricted(inner, where)))
                    return rebuilt(query, lambda n: changed if n == comparison else n), told  # noqa: B023
        for key in self.planner.schema.foreign_keys:
            asked = TableRef(key.target_table)
            if key.table == table.name and len(key.columns) == 1 and asked in mentioned_tables(query):
                inner = Query((Column(table, key.columns[0]),), where=where)
                through = Comparison(Column(asked, key.target_columns[0]), "in", Subquery(inner))
                return (restricted(query, through), told) if key.target_table != self.casts[0].key.target else None
        return None


def _told(key: RoleKey) -> str:
    return f"{key.table}.{key.column} is where it says {_WORDS[key.side]}."


def in_roles(linking: Linking, planner: JoinPlanner, names: RowNames) -> InRoles | None:
    """The rows that the question names in roles of those it asks for; None where there are none.

    Where it asks for rows that have the other role themselves ("who wrote to Bob"), there are none either.
    """
    pairs = role_pairs(planner)
    cast = [(p, c) for p in pairs if not asks_for_home(linking, p) and (c := Casting(linking, p, names).cast())]
    if not cast:
        return None
    _, casts = max(cast, key=lambda f: len(f[1]))
    return InRoles(casts, frozenset(i for c in casts for i in c.places), planner)


def asks_for_home(linking: Linking, pair: RolePair) -> bool:
    """Whether a question asks for rows that have a role themselves: "who sent", "which cities have flights"."""
    opening = [t.lower for t in linking.tokens[:2]]
    if "who" in opening or "whom" in opening:
        return True
    named = {m.table for m in tables_named_first(linking)}
    return bool(named) and pair.table not in named and not named.isdisjoint(pair.homes)


def role_players(linking: Linking, planner: JoinPlanner, names: RowNames, accounts: Accounts) -> Iterator[Proposal]:
    """The rows that have one role where a named row has the other: "who sent messages to Bob", "papers that cite"."""
    counts = [q for q in linking.quantities if q.aggregate == "count"]
    if len(counts) != len(linking.quantities) or linking.superlatives:
        return
    for pair in role_pairs(planner):
        casts = Casting(linking, pair, names).cast() if asks_for_home(linking, pair) else ()
        if len(casts) != 1:
            continue
        (cast,) = casts
        home = _asked_home(linking, pair, cast, names)
        shown: tuple[Expression, ...] = names.of_table(TableRef(home))
        if counts:
            shown = (Aggregate("count", Star()),)
        asked = pair.other(cast.key)
        table = TableRef(pair.table)
        inner = Query((asked.in_query,), where=cast.key.leads_to(cast.named.condition), tables=(table,))
        operator = "not in" if linking.negations else "in"
        link = _through(planner, pair, home, asked, inner, operator)
        if link is None or not shown:
            continue
        query = Query(shown, where=link, tables=(TableRef(home),) if counts else ())
        roles = {i for i, t in enumerate(linking.tokens) if t.lower in _SIDES}
        said = cast.places | roles | said_of_money(linking)
        if not accounts.left_over(query, said) and denies_alike(query, linking):
            yield Proposal(query, 0.0, 0.0, 0.0, source="role", settled=True)


def _asked_home(linking: Linking, pair: RolePair, cast: Cast, names: RowNames) -> str:
    """Which of the homes is asked for: the one named first, else for "who" the one that has persons' names."""
    named = {m.table for m in tables_named_first(linking)} & {*pair.homes}
    if named:
        return min(named, key=pair.homes.index)
    persons = [h for h in pair.homes if len(names.of_table(TableRef(h))) > 1 or _PERSONS.intersection(name_stems(h))]
    return (persons or [cast.named.table])[0]


def _through(
    planner: JoinPlanner, pair: RolePair, home: str, asked: RoleKey, inner: Query, operator: str
) -> Comparison | None:
    """That a row of a home is what the inner query's keys refer to, or what these rows belong to."""
    target = Column(TableRef(pair.homes[0]), asked.key)
    if home == pair.homes[0]:
        return Comparison(target, operator, Subquery(inner))
    plans = planner.plans((TableRef(pair.homes[0]), TableRef(home)))
    if not plans or len(plans[0].joins) != 1:
        return None
    join = plans[0].joins[0]
    near, far = (join.left, join.right) if join.left.table == target.table else (join.right, join.left)
    between = Query((near,), where=Comparison(target, "in", Subquery(inner)))
    return Comparison(far, operator, Subquery(between))
