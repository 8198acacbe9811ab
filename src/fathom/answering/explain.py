"""A query in plain English: written from its parse, so that it can't say what isn't there."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from sqlglot import exp

from fathom.answering.conditions import restricting
from fathom.answering.expressions import change_in_per_cent, uncast
from fathom.answering.phrases import Phrases, join_words
from fathom.databases.parsing import parsed
from fathom.text.identifiers import spoken
from fathom.text.inflection import plural, singular

NOTHING_CALLED: Mapping[str, str] = MappingProxyType({})
LONGEST_COUNTED = 200
"""Letters of what is counted, beyond which the sentence is left to the explanation."""


def explain(sql: str, dialect: str) -> str:
    """Say in a few sentences what a query retrieves.

    Sentences follow the order in which a reader thinks: what is shown, from where, which rows, how grouped,
    in which order, how many. Returns an empty text for SQL that can't be parsed or is nested too deeply.
    """
    query = parsed(sql, dialect)
    try:
        return " ".join(tell(query)) if isinstance(query, exp.Query) else ""
    except RecursionError:  # a long chain of AND or + can be parsed, yet is as deep as it is long
        return ""


def tell(query: exp.Query) -> list[str]:
    """The sentences for a query."""
    if isinstance(query, exp.SetOperation):
        return _set_operation(query)
    if isinstance(query, exp.Subquery):
        return tell(query.this)
    return _select(query) if isinstance(query, exp.Select) else []


_SET_OPERATIONS: dict[type[exp.SetOperation], str] = {
    exp.Intersect: "Keeps only the rows that both of two queries give.",
    exp.Except: "Keeps the rows of the first of two queries that the second doesn't give.",
    exp.Union: "Puts the rows of two queries together.",
}


def _set_operation(query: exp.SetOperation) -> list[str]:
    what = next(text for kind, text in _SET_OPERATIONS.items() if isinstance(query, kind))
    if isinstance(query, exp.Union):
        what = f"{what[:-1]}, {'each row once' if query.args.get('distinct') else 'repeats kept'}."
    parts = [f"({i}) {' '.join(tell(side))}" for i, side in enumerate((query.this, query.expression), 1)]
    return [what, *parts, *_tail(query, Phrases(tell))]


def _select(query: exp.Select) -> list[str]:
    phrases = Phrases.of_query(query, tell)
    return [
        *_with(query),
        _shown(query, phrases),
        *_filter("Only rows where", query.args.get("where"), phrases),
        *_grouping(query, phrases),
        *_filter("Only groups where", query.args.get("having"), phrases),
        *_tail(query, phrases),
    ]


def _with(query: exp.Query) -> list[str]:
    source, joins = query.args.get("from_"), query.args.get("joins") or ()
    read = [clause.this for clause in (source, *joins) if clause is not None]
    inside = [q for q in read if isinstance(q, exp.Subquery)]
    return [f"First makes {q.alias or 'a list'}: {' '.join(tell(q.this))}" for q in (*query.ctes, *inside)]


def _shown(query: exp.Select, phrases: Phrases) -> str:
    items = [phrases.of_item(item) for item in query.expressions]
    only_counts = all(isinstance(item.unalias(), exp.Count) for item in query.expressions)
    counts = only_counts and not query.args.get("group")
    if counts:
        items = [item.removeprefix("the number of ") for item in items]
    repeats = ", each combination once," if query.args.get("distinct") else ""
    told = f"{'Counts' if counts else 'Shows'} {join_words(items)}{repeats}{_source(query, phrases)}"
    return f"{told.rstrip(',')}."


def _source(query: exp.Select, phrases: Phrases) -> str:
    source = query.args.get("from_")
    if source is None:
        return ""
    joins = [phrases.of_join(join) for join in query.args.get("joins") or ()]
    return f" from {', '.join([phrases.of_source(source.this), *joins])}"


def _filter(opening: str, clause: exp.Expression | None, phrases: Phrases) -> list[str]:
    return [f"{opening} {phrases.of(clause.this)}."] if clause is not None else []


def _grouping(query: exp.Select, phrases: Phrases) -> list[str]:
    group = query.args.get("group")
    if group is None or not group.expressions:
        return []
    keys = [phrases.of(_ordinal(key, query.expressions)).removeprefix("the ") for key in group.expressions]
    return [f"One row for each {join_words(keys)}."]


def _ordinal(key: Any, items: Sequence[Any]) -> Any:
    """`GROUP BY 2` means the second item shown."""
    place = int(key.this) if isinstance(key, exp.Literal) and key.is_int else 0
    return items[place - 1].unalias() if 0 < place <= len(items) else key


def _tail(query: exp.Query, phrases: Phrases) -> list[str]:
    order, limit, offset = (query.args.get(part) for part in ("order", "limit", "offset"))
    items = getattr(query, "expressions", [])
    said = []
    if order is not None:
        keys = [
            f"{phrases.of(_ordinal(key.this, items))} ({'high' if key.args.get('desc') else 'low'}est first)"
            for key in order.expressions
        ]
        said.append(f"Sorted by {join_words(keys, 'then')}.")
    if offset is not None:
        said.append(f"Leaves out the first {phrases.of(offset.expression)}.")
    if limit is not None:
        count = limit.expression if limit.expression is not None else limit.args.get("count")
        number = phrases.of(count)
        said.append("Only the first row." if number == "1" else f"Only the first {number} rows.")
    return said


@dataclass(frozen=True, slots=True)
class CountedRows:
    """The things that a query counts, in the plural, and the condition on them, with a space before it."""

    noun: str
    condition: str = ""

    def told(self, *, one: bool) -> str:
        """The things with their condition as they follow a figure, in the singular of one."""
        if not one:
            plain = self.condition.removeprefix(" that ")
            states = plain != self.condition and " that " not in plain and " whose " not in plain
            return f"{self.noun}{' ' + plain if states else self.condition}"
        said = self.condition.replace(" that have ", " that has ").replace(" that are ", " that is ")
        return f"{singular(self.noun)}{said}"


def counted(
    sql: str, dialect: str, called: Mapping[str, str] = NOTHING_CALLED, flags: Collection[str] = ()
) -> CountedRows | None:
    """Name the things that a query counts, where its result is one count over one table; None for others.

    `called` are names for tables, by their own in small letters; `flags` the columns that are true or false,
    likewise. None also where it takes too many words.
    """
    query = parsed(sql, dialect)
    try:
        return _counted(query, called, flags) if isinstance(query, exp.Select) else None
    except RecursionError:
        return None


def calculated(sql: str, dialect: str) -> frozenset[int]:
    """The places of a query's items that it calculates, such as a count."""
    query = parsed(sql, dialect)
    items = query.expressions if isinstance(query, exp.Select) else []
    return frozenset(
        i for i, item in enumerate(items) if not isinstance(item.unalias(), exp.Column | exp.Star)
    )


def brief(item: exp.Expr) -> str:
    """A name for what is calculated of other queries or rows, which takes the explanation to say in full."""
    if item.find(exp.Query, exp.Window) is None:
        return ""
    calculated = uncast(item)
    if change_in_per_cent(calculated) is not None:
        return "the change in per cent"
    if isinstance(calculated, exp.Sub):
        return "the change" if calculated.find(exp.Lag) else "the difference"
    if isinstance(calculated, exp.Div):
        times_100 = isinstance(product := uncast(calculated.left), exp.Mul) and product.right.sql() == "100"
        return "the percentage" if times_100 else "the ratio"
    return ""


def _counted(query: exp.Select, called: Mapping[str, str], flags: Collection[str]) -> CountedRows | None:
    source, where = query.args.get("from_"), query.args.get("where")
    beyond = [k for k, v in query.args.items() if v and k not in {"expressions", "from_", "where", "kind"}]
    if len(query.expressions) != 1 or source is None or not isinstance(source.this, exp.Table) or beyond:
        return None
    count = query.expressions[0].unalias()
    if not isinstance(count, exp.Count):
        return None
    phrases = replace(Phrases.of_query(query, tell), say=spoken, for_sentences=True)
    rows = plural(called.get(source.this.name.casefold(), "") or spoken(source.this.name))
    noun, only = rows, ""
    if isinstance(count.this, exp.Distinct):
        noun = f"different {join_words(plural(phrases.of(e)) for e in count.this.expressions)}"
        only = f" of {rows}"
    elif isinstance(count.this, exp.Column):
        only = f" with {phrases.of(count.this)}"
    elif not isinstance(count.this, exp.Star | exp.Literal | None):
        return None
    if where is not None:
        only += restricting(where.this, phrases, flags)
    in_words = "||" not in only and len(noun + only) <= LONGEST_COUNTED
    return CountedRows(noun, only) if in_words else None
