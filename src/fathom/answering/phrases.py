"""English phrases for the parts of a query."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from types import MappingProxyType
from typing import Any

from sqlglot import exp

from fathom.answering.expressions import (
    TODAY,
    born,
    change_in_per_cent,
    counted_where,
    day_of,
    in_whole_periods,
    part_of_date,
    part_of_text,
    uncast,
)
from fathom.answering.implied import without_implied
from fathom.text.patterns import Pattern


def join_words(words: Iterable[str], last: str = "and") -> str:
    """'a', 'a and b', 'a, b and c'."""
    *init, end = list(words) or [""]
    return f"{', '.join(init)} {last} {end}" if init else end


_COMPARISONS: Mapping[type[exp.Expression], str] = MappingProxyType(
    {
        exp.EQ: "is",
        exp.NEQ: "is not",
        exp.GT: "is more than",
        exp.GTE: "is at least",
        exp.LT: "is less than",
        exp.LTE: "is at most",
        exp.NullSafeEQ: "is",
        exp.NullSafeNEQ: "is not",
        exp.Like: "has the pattern",
        exp.ILike: "has the pattern, in any case,",
        exp.Glob: "has the pattern",
        exp.RegexpLike: "matches",
    }
)
_OF_DAYS: Mapping[type[exp.Expression], str] = MappingProxyType(
    {exp.GT: "is after", exp.GTE: "is on or after", exp.LT: "is before", exp.LTE: "is on or before"}
)
_NEGATED: Mapping[type[exp.Expression], str] = MappingProxyType(
    {
        exp.Like: "doesn't have the pattern",
        exp.ILike: "doesn't have the pattern, in any case,",
        exp.EQ: "is not",
        exp.NEQ: "is",
    }
)
_ARITHMETIC: Mapping[type[exp.Expression], str] = MappingProxyType(
    {exp.Add: "plus", exp.Sub: "minus", exp.Mul: "times", exp.Div: "divided by", exp.Mod: "modulo"}
)
_AGGREGATES: Mapping[type[exp.Expression], str] = MappingProxyType(
    {
        exp.Sum: "the total of",
        exp.Avg: "the average of",
        exp.Max: "the highest",
        exp.Min: "the lowest",
        exp.Median: "the median of",
        exp.Stddev: "the standard deviation of",
        exp.GroupConcat: "the list of",
        exp.ArrayAgg: "the list of",
    }
)
_BEGINS_TIME = Pattern(r"(\d{4}(?:-\d{2}){0,2})[ T]?%")
_DAY = Pattern(r"\d{4}-\d{2}-\d{2}")
_PLAIN_VALUE = Pattern(r"\w[\w ./:&+-]*")
"""Values that nobody takes for words of the sentence around them."""
_MIDDLE = Pattern(r"2 \* (?P<place>\w+) BETWEEN (?P<count>\w+) AND (?P=count) \+ 2")
_BESIDE: Mapping[type[exp.Expression], str] = MappingProxyType({exp.Lag: "previous", exp.Lead: "next"})
_PLACES: Mapping[type[exp.Expression], str] = MappingProxyType(
    {exp.RowNumber: "place", exp.Rank: "rank", exp.DenseRank: "rank without gaps"}
)
_JOINS: Mapping[str, str] = MappingProxyType(
    {
        "LEFT": "with, where there is one,",
        "RIGHT": "and all of",
        "FULL": "and also",
        "CROSS": "paired with each",
    }
)
_STATES = frozenset({"is", "has", "was", "are", "have"})
"""Verbs by which a column's name states something that a row does or doesn't."""
_SET, _UNSET = frozenset({"1", "true"}), frozenset({"0", "false"})

MOST_COMPARED = 20
"""Conditions of a conjunction up to which those that others imply are left out."""


@dataclass(frozen=True, slots=True)
class Phrases:
    """Words expressions of one query. Columns name their table where the query reads several.

    `tell` says a query inside this one in sentences; `of_middle` says that it reads nothing but the middle
    one or two of numbered rows, whose average is the median; `say` puts the name of a column into words.
    Where a phrase is `for_sentences`, values stand as in a sentence: Oslo and 300,000, not 'Oslo' and 300000.
    """

    tell: Callable[[exp.Query], list[str]]
    several_tables: bool = False
    aliases: Mapping[str, str] = field(default_factory=dict)
    of_middle: bool = False
    say: Callable[[str], str] = str
    for_sentences: bool = False

    @classmethod
    def of_query(cls, query: exp.Select, tell: Callable[[exp.Query], list[str]]) -> "Phrases":
        """Phrases for a query: its table aliases are resolved to the tables' own names."""
        source = query.args.get("from_")
        joined = [join.this for join in query.args.get("joins") or ()]
        tables = [source.this, *joined] if source is not None else joined
        aliases = {t.alias_or_name: t.name for t in tables if isinstance(t, exp.Table)}
        repeated = len(set(aliases.values())) < len(aliases)
        shown = {a: a if repeated else t for a, t in aliases.items()}
        return cls(tell, len(tables) > 1, shown, _takes_middle(query))

    def of(self, node: Any) -> str:
        """The phrase for an expression; what has no phrase of its own is shown as SQL."""
        if node is None:
            return ""
        for kind in type(node).__mro__:
            if phrase := _PHRASES.get(kind):
                return phrase(self, node)
        return str(node.sql())

    def of_item(self, item: exp.Expression) -> str:
        """One item of a select list; a chosen name is given behind it."""
        phrase = self.of(item.unalias())
        return f"{phrase} (as {item.alias})" if item.alias not in ("", item.unalias().name) else phrase

    def of_source(self, source: exp.Expression) -> str:
        """A table, or a query in its place."""
        if isinstance(source, exp.Table):
            shown = self.aliases.get(source.alias_or_name, source.name)
            return source.name if shown == source.name else f"{source.name} (as {shown})"
        return source.alias or "that list"

    def of_join(self, join: exp.Join) -> str:
        """One join: how, with what, on what."""
        kind = (join.side or join.kind or "").upper()
        on = join.args.get("on")
        using = join.args.get("using")
        where = f" where {self.of(on)}" if on is not None else ""
        where = where or (f" by the same {join_words(u.name for u in using)}" if using else "")
        return f"{_JOINS.get(kind, 'with')} {self.of_source(join.this)}{where}"


def _column(phrases: Phrases, node: exp.Column) -> str:
    if isinstance(node.this, exp.Star):
        return "every column"
    table = phrases.aliases.get(node.table, node.table)
    said = phrases.say(node.name)
    return f"{table}.{said}" if table and phrases.several_tables else said


def _literal(phrases: Phrases, node: exp.Literal) -> str:
    if not node.is_string:
        is_code = isinstance(node.parent, exp.EQ | exp.NEQ | exp.In)  # amounts are hardly ever compared so
        grouped = phrases.for_sentences and node.is_int and len(node.this) > len("2026") and not is_code
        return f"{int(node.this):,}" if grouped else str(node.this)
    plain = phrases.for_sentences and _PLAIN_VALUE.fullmatch(node.this)
    return str(node.this) if plain else f"'{node.this}'"


def _count(phrases: Phrases, node: exp.Count) -> str:
    counted = node.this
    if isinstance(counted, exp.Distinct):
        return f"the number of different {join_words(phrases.of(e) for e in counted.expressions)}"
    if counted is None or isinstance(counted, exp.Star | exp.Literal):
        return "the number of rows"
    return f"the number of rows with {phrases.of(counted)}"


def _aggregate(phrases: Phrases, node: exp.Expression) -> str:
    operand = node.this
    if isinstance(node, exp.Sum) and (condition := counted_where(operand)) is not None:
        return f"the number of rows where {phrases.of(condition)}"
    different = "different " if isinstance(operand, exp.Distinct) else ""
    operand = operand.expressions[0] if isinstance(operand, exp.Distinct) else operand
    kind = exp.Median if isinstance(node, exp.Avg) and phrases.of_middle else type(node)
    return f"{_AGGREGATES[kind]} {different}{phrases.of(operand)}"


def _takes_middle(query: exp.Select) -> bool:
    """True if a query keeps of numbered rows the middle one or two."""
    source, where = query.args.get("from_"), query.args.get("where")
    middle = _MIDDLE.fullmatch(where.this.sql()) if where is not None else None
    if middle is None or source is None or not isinstance(source.this, exp.Subquery):
        return False
    held = {e.alias: e.unalias() for e in source.this.this.expressions}
    windows = [held.get(middle[name]) for name in ("place", "count")]
    functions = [type(w.this) if isinstance(w, exp.Window) else None for w in windows]
    return functions == [exp.RowNumber, exp.Count]


def _and(phrases: Phrases, node: exp.And) -> str:
    parts = list(islice(node.flatten(unnest=False), MOST_COMPARED + 1))
    if len(parts) > MOST_COMPARED:  # each is compared with each
        return f"{phrases.of(node.left)} and {phrases.of(node.right)}"
    return " and ".join(
        f"{phrases.of(part.this)} is in {period}" if period else phrases.of(part)
        for part, period in in_whole_periods(without_implied(parts))
    )


def _nullif(phrases: Phrases, node: exp.Nullif) -> str:
    zero = node.expression.sql() == "0"  # what divides: nothing is then shown instead of an error
    return phrases.of(node.this) if zero else str(node.sql())


def _part_of_date(phrases: Phrases, node: exp.TimeToStr) -> str:
    unit = part_of_date(node)
    date = node.this.this if isinstance(node.this, exp.Cast | exp.TsOrDsToTimestamp) else node.this
    return f"the {unit} of {phrases.of(date)}" if unit else str(node.sql())


def _flag(phrases: Phrases, node: exp.Expr) -> str | None:
    """A flag that is compared with true, false, 1 or 0, as the sentence its column's name is; else None.

    Column names such as `drug_has_been_withdrawn` and `is_active` are sentences: "is 1" adds nothing.
    """
    column, value = node.args["this"], node.args["expression"]
    if not isinstance(column, exp.Column) or not isinstance(value, exp.Boolean | exp.Literal):
        return None
    if value.is_string or str(value.this).lower() not in _SET | _UNSET:
        return None
    words = phrases.of(column).split()
    place = next((i for i, word in enumerate(words[:-1]) if word in _STATES), None)
    if place is None:
        return None
    lacking = ["not"] if str(value.this).lower() in _UNSET else []
    subject = words[:place] or ["it"]
    return " ".join([*subject, words[place], *lacking, *words[place + 1 :]])


def _comparison(phrases: Phrases, node: Any) -> str:
    if isinstance(node, exp.EQ) and (said := _flag(phrases, node)) is not None:
        return said
    if isinstance(node, exp.Like) and (time := _BEGINS_TIME.fullmatch(node.expression.name)):
        return f"{phrases.of(node.this)} is in {time[1]}"
    if node.args.get("negate"):  # NOT LIKE is one sign to the parser
        plain = node.copy()
        plain.set("negate", None)
        return _not(phrases, exp.Not(this=plain))
    if (part := part_of_text(node, denied=False)) is not None:
        return f"{phrases.of(node.this)} {part[0]} {phrases.of(part[1])}"
    verb = _COMPARISONS[type(node)]
    if phrases.for_sentences and _DAY.match(uncast(node.right).name):
        verb = _OF_DAYS.get(type(node), verb)
    return f"{phrases.of(node.left)} {verb} {phrases.of(node.right)}"


def _arithmetic(phrases: Phrases, node: Any) -> str:
    left, right = _operand(phrases, node.left, node), _operand(phrases, node.right, node)
    return f"{left} {_ARITHMETIC[type(node)]} {right}"


def _operand(phrases: Phrases, operand: exp.Expr, of: exp.Expr) -> str:
    """An operand in brackets where a cast holds a sum together that is multiplied or divided."""
    inner = uncast(operand)
    apart = isinstance(inner, exp.Add | exp.Sub) and isinstance(of, exp.Mul | exp.Div)
    told = phrases.of(operand)
    return f"({told})" if apart and not isinstance(operand, exp.Paren) else told


def _division(phrases: Phrases, node: exp.Div) -> str:
    compared = change_in_per_cent(node)
    if compared is None:
        product = uncast(node.left)
        if isinstance(product, exp.Mul) and product.right.sql() == "100":
            return f"{phrases.of(product.left)} as a percentage of {phrases.of(node.right)}"
        return _arithmetic(phrases, node)
    return f"the change in per cent from {phrases.of(compared[1])} to {phrases.of(compared[0])}"


def _difference(phrases: Phrases, node: exp.Sub) -> str:
    if (birth := born(node)) is not None:
        return f"age by {phrases.of(birth)}"
    days = [day_of(n) for n in (node.right, node.left)]
    first, last = (d if d is None else "today" if d in TODAY else phrases.of(d) for d in days)
    return _arithmetic(phrases, node) if first is None or last is None else f"the days from {first} to {last}"


def _window(phrases: Phrases, node: exp.Window) -> str:
    """A calculation over the rows beside: which, and in which order."""
    if node.args.get("spec") is not None:
        return str(node.sql())
    function = node.this
    order, parts = node.args.get("order"), node.args.get("partition_by") or ()
    within = f" for each {join_words(phrases.of(p) for p in parts)}" if parts else ""
    if type(function) in _BESIDE and function.args.get("offset") is None:
        return f"the {_BESIDE[type(function)]} {phrases.of(function.this).removeprefix('the ')}{within}"
    keys = order.expressions if order is not None else ()
    by = join_words(
        f"{phrases.of(k.this)} ({'high' if k.args.get('desc') else 'low'}est first)" for k in keys
    )
    if type(function) in _PLACES:
        return f"the {_PLACES[type(function)]}{f' by {by}' if keys else ''}{within}"
    told = f"{phrases.of(function)}{' so far, in the order of ' + by if keys else ''}"
    return f"{told}{within or (' over all rows' if not keys else '')}"


def _is(phrases: Phrases, node: exp.Is) -> str:
    if isinstance(node.expression, exp.Null):
        return f"{phrases.of(node.this)} is missing"
    return f"{phrases.of(node.this)} is {phrases.of(node.expression)}"


def _not(phrases: Phrases, node: exp.Not) -> str:
    inner = node.this.unnest()
    left = phrases.of(inner.this) if inner.this is not None else ""
    if isinstance(inner, exp.Is) and isinstance(inner.expression, exp.Null):
        return f"{left} is known"
    if isinstance(inner, exp.In):
        return _in(phrases, inner, "is not")
    if isinstance(inner, exp.Between):
        return _between(phrases, inner, "is not")
    if isinstance(inner, exp.Exists):
        return _exists(phrases, inner, "there is no")
    if (part := part_of_text(inner, denied=True)) is not None:
        told = f"{left} doesn't {part[0]} {phrases.of(part[1])}"
    elif type(inner) in _NEGATED:
        told = f"{left} {_NEGATED[type(inner)]} {phrases.of(inner.expression)}"
    else:
        told = f"it is not so that {phrases.of(inner)}"
    return told


def _in(phrases: Phrases, node: exp.In, verb: str = "is") -> str:
    query = node.args.get("query")
    if query is not None:
        return f"{phrases.of(node.this)} {verb} among {phrases.of(query)}"
    options = join_words((phrases.of(e) for e in node.expressions), "or")
    return f"{phrases.of(node.this)} {verb} {options}"


def _between(phrases: Phrases, node: exp.Between, verb: str = "is") -> str:
    low, high = phrases.of(node.args["low"]), phrases.of(node.args["high"])
    return f"{phrases.of(node.this)} {verb} between {low} and {high}"


def _exists(phrases: Phrases, node: exp.Exists, opening: str = "there is a") -> str:
    return f"{opening} row in {phrases.of(node.this)}"


def _subquery(phrases: Phrases, node: exp.Expression) -> str:
    inner = node.unnest() if isinstance(node, exp.Subquery) else node
    told = " ".join(phrases.tell(inner)) if isinstance(inner, exp.Query) else ""
    told = told.removeprefix("Shows ").rstrip(".")
    return (f"({told})" if phrases.for_sentences else f"[{told}]") if told else str(node.sql())


def _case(phrases: Phrases, node: exp.Case) -> str:
    ways = [f"{phrases.of(i.args['true'])} where {phrases.of(i.this)}" for i in node.args.get("ifs") or ()]
    default = node.args.get("default")
    return join_words([*ways, f"else {phrases.of(default)}"] if default is not None else ways, "or")


_PHRASES: dict[type, Callable[[Phrases, Any], str]] = {
    exp.Column: _column,
    exp.Star: lambda _, __: "every column",
    exp.Literal: _literal,
    exp.Null: lambda _, __: "missing",
    exp.Boolean: lambda _, node: "true" if node.this else "false",
    exp.Count: _count,
    exp.Is: _is,
    exp.Not: _not,
    exp.In: _in,
    exp.Between: _between,
    exp.Exists: _exists,
    exp.Subquery: _subquery,
    exp.Select: _subquery,
    exp.SetOperation: _subquery,
    exp.Case: _case,
    exp.And: _and,
    exp.Nullif: _nullif,
    exp.TimeToStr: _part_of_date,
    exp.Or: lambda p, n: f"{p.of(n.left)} or {p.of(n.right)}",
    exp.Paren: lambda p, n: f"({p.of(n.this)})",
    **dict.fromkeys((exp.Alias, exp.Cast), lambda p, n: p.of(n.this)),
    exp.Neg: lambda p, n: f"-{p.of(n.this)}",
    exp.Lower: lambda p, n: f"{p.of(n.this)} (in any case)",
    exp.Upper: lambda p, n: f"{p.of(n.this)} (in any case)",
    exp.Round: lambda p, n: f"{p.of(n.this)} (rounded)",
    exp.Length: lambda p, n: f"the length of {p.of(n.this)}",
    exp.Abs: lambda p, n: f"the size of {p.of(n.this)}",
    exp.Anonymous: lambda p, n: f"{n.name}({', '.join(p.of(e) for e in n.expressions)})",
    **dict.fromkeys(_COMPARISONS, _comparison),
    **dict.fromkeys(_AGGREGATES, _aggregate),
    **dict.fromkeys(_ARITHMETIC, _arithmetic),
    exp.Div: _division,
    exp.Sub: _difference,
    exp.Window: _window,
}
