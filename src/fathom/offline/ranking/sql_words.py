"""The words of a query, as a translation model reads them: its structure, and the names it uses."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from fathom.offline.linking import Linking
from fathom.offline.linking.text import name_stems
from fathom.offline.queries.query import (
    Aggregate,
    Arithmetic,
    CaseWhen,
    ColumnRef,
    ComparisonPredicate,
    Condition,
    Connective,
    Expression,
    FunctionCall,
    Items,
    Literal,
    OrderKey,
    Query,
    SourceColumn,
    Star,
    Subquery,
    mentioned_tables,
    walk,
)

MOST_COUNTED = 4
_AGAINST: dict[type, str] = {Literal: "value", Items: "values", Subquery: "query", ColumnRef: "column"}


@dataclass(frozen=True, slots=True)
class QueryWords:
    """`structure` words say what the query does, `names` are stems of the tables and columns it uses."""

    structure: tuple[str, ...]
    names: tuple[str, ...]


def shown_word(query: Query) -> str:
    """How much a query shows: "select 2"."""
    return f"select {min(len(query.select), MOST_COUNTED)}"


def limit_word(query: Query) -> str:
    """How a query with a limit is cut: "limit one" or "limit some"."""
    return f"limit {query.cut}"


def order_word(ordering: OrderKey, query: Query) -> str:
    """Which way a query is ordered, and how it is cut then: "order asc", "order desc one"."""
    return f"order {ordering.direction} {query.cut}".strip()


def comparison_word(comparison: ComparisonPredicate) -> str:
    """The operator, and the kind of what is compared with: "> value", "in query", "is null"."""
    return f"{comparison.operator} {_AGAINST.get(type(comparison.right), '')}".strip()


def query_words(query: Query) -> QueryWords:
    """The words of a query; each word once."""
    collector = _Collector()
    collector.query(query, "")
    return QueryWords(tuple(dict.fromkeys(collector.structure)), tuple(dict.fromkeys(collector.names)))


def question_words(linking: Linking) -> tuple[str, ...]:
    """The question as a translation model reads it: stems and pairs of neighbours, values masked."""
    masked: dict[int, str] = {}
    for value in linking.values:
        if value.probability >= 0.5 and value.match not in {"number", "boolean", "code"}:
            masked |= dict.fromkeys(range(*value.span), "<value>")
    words = []
    for place, token in enumerate(linking.tokens):
        if token.evidence or (token.kind == "sign" and token.text not in {",", "%"}):
            continue
        words.append(masked.get(place) or ("<number>" if token.kind == "number" else token.stem))
    pairs = [f"{a} {b}" for a, b in pairwise(words) if a != b]
    return tuple(dict.fromkeys([*words, *pairs]))


class _Collector:
    def __init__(self) -> None:
        self.structure: list[str] = []
        self.names: list[str] = []

    def query(self, query: Query, place: str) -> None:
        self.structure.append(f"{place}{shown_word(query)}")
        for item in query.select:
            self.expression(item, "select")
        for table in mentioned_tables(query):
            self.names += name_stems(table.name)
        if query.distinct:
            self.structure.append("distinct")
        if query.where is not None:
            self.condition(query.where, "where")
        for key in query.group:
            self.structure.append("group")
            self.expression(key, "group")
        if query.having is not None:
            self.condition(query.having, "having")
        self._order(query)
        if query.source is not None:
            self.structure.append("from query")
            self.query(query.source, "inner ")
        if query.compound is not None:
            self.structure.append(query.compound.operator)
            self.query(query.compound.query, "inner ")

    def _order(self, query: Query) -> None:
        for ordering in query.order:
            self.structure.append(order_word(ordering, query))
            self.expression(ordering.key, "order")
            self.structure += [f"{ordering.direction} {w}" for w in _heads(ordering.key)]
        if query.cut:
            self.structure.append(limit_word(query))

    def condition(self, condition: Condition, clause: str) -> None:
        if isinstance(condition, Connective):
            self.structure.append(f"{clause} {condition.kind}")
            for part in condition.parts:
                self.condition(part, clause)
            return
        self._comparison(condition, clause)

    def _comparison(self, comparison: ComparisonPredicate, clause: str) -> None:
        self.structure.append(f"{clause} {comparison_word(comparison)}")
        self.expression(comparison.left, clause)
        if comparison.operator in {"<", "<=", ">", ">="}:
            self.structure += [f"{comparison.operator[0]} {w}" for w in _heads(comparison.left)]
        if comparison.right is not None:
            self.expression(comparison.right, clause)

    def expression(self, expression: Expression, clause: str) -> None:
        for part in walk(expression):
            match part:
                case ColumnRef(name=name):
                    self.names += name_stems(name)
                case Aggregate(function=function, argument=argument, distinct=distinct):
                    star = " *" if isinstance(argument, Star) else " distinct" if distinct else ""
                    self.structure.append(f"{clause} {function}{star}")
                case Arithmetic(operator=operator):
                    self.structure.append(f"{clause} {operator}")
                case FunctionCall(name=name):
                    self.structure.append(f"{clause} {name}")
                case CaseWhen():
                    self.structure.append(f"{clause} case")
                case Subquery(query=query):
                    self.structure.append(f"{clause} query")
                    self.query(query, "inner ")
                case Star() | Literal() | Items() | SourceColumn():
                    pass


def _heads(expression: Expression) -> Iterable[str]:
    """The last words of the columns in an expression: what is compared or ordered."""
    for part in walk(expression):
        if isinstance(part, ColumnRef) and (stems := name_stems(part.name)):
            yield stems[-1]


def all_words(words: QueryWords) -> Sequence[str]:
    """Structure and names together."""
    return (*words.structure, *words.names)
