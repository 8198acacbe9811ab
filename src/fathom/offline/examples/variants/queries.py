"""Queries that nobody has asked yet, put together from clauses of solved ones of the same database."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from fathom.offline.examples.exchanged_values import Blank, Template
from fathom.offline.linking import ColumnKey
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import (
    Aggregate,
    ColumnRef,
    ComparisonPredicate,
    Condition,
    Connective,
    Literal,
    OrderKey,
    Query,
    Subquery,
    TableRef,
    all_queries,
    comparisons,
    conjunction,
    conjuncts,
    mentioned_tables,
    rebuilt,
    walk,
)

_OPPOSITE = {"max": "min", "min": "max"}


class TemplateVariants:
    """One clause of a template exchanged for one of another, or added, or left out."""

    def __init__(self, templates: Sequence[Template], planner: JoinPlanner) -> None:
        self._shown: dict[str, dict[tuple[Any, bool], None]] = defaultdict(dict)
        self._measured: dict[str, dict[str, None]] = defaultdict(dict)
        self._conditions: dict[str, dict[ComparisonPredicate, Template]] = defaultdict(dict)
        self._lists: dict[tuple[str, str], dict[Query, Template]] = defaultdict(dict)
        self._domains: dict[tuple[str, str], tuple[str, str]] = {}
        for table in planner.schema.tables:
            for edge in planner.neighbours(table.name):
                for own, theirs in edge.pairs:
                    self._join((table.name, own), (edge.right, theirs))
        for template in templates:
            for query in all_queries(template.query):
                self._learn(query, template)
        for template in templates:
            self._learn_lists(template)

    def _learn(self, query: Query, template: Template) -> None:
        tables = mentioned_tables(query)
        if len({t.name for t in tables}) == 1 and query.source is None and query.compound is None:
            if not query.group and not query.order:
                self._shown[tables[0].name].setdefault((query.select, query.distinct))
            for part in _required(query.where):
                if isinstance(part.left, ColumnRef) and isinstance(part.right, Literal):
                    self._conditions[tables[0].name].setdefault(_plain(part), template)
        for column in _measured(query):
            self._measured[column.table.name].setdefault(column.name)
        for comparison in comparisons(query.where):
            inner = _listed(comparison)
            if inner is not None and isinstance(comparison.left, ColumnRef):
                self._join(ColumnKey.of(comparison.left), ColumnKey.of(inner))

    def _learn_lists(self, template: Template) -> None:
        for query in all_queries(template.query):
            match query:
                case Query(select=(ColumnRef() as column,), compound=None, source=None, limit=None):
                    self._lists[self._domain(ColumnKey.of(column))].setdefault(query, template)

    def _join(self, one: tuple[str, str], other: tuple[str, str]) -> None:
        self._domains[self._domain(one)] = self._domain(other)

    def _domain(self, column: tuple[str, str]) -> tuple[str, str]:
        """Give the column that stands for all those joined with it, or whose values were looked for among
        another's."""
        while self._domains.get(column, column) != column:
            column = self._domains[column]
        return column

    def of(self, template: Template) -> Iterator[Template]:
        """The templates that are one exchange away."""
        query = template.query
        if query.compound is None and query.source is None:
            yield from self._other_shown(template)
            yield from self._fewer_conditions(template)
            yield from self._more_conditions(template)
        yield from self._other_measures(template)
        yield from self._other_lists(template)

    def _other_shown(self, template: Template) -> Iterator[Template]:
        query = template.query
        if query.group:
            return
        for table in mentioned_tables(query):
            for select, distinct in self._shown[table.name] if table.instance == 0 else ():
                if select != query.select:
                    yield replace(template, query=replace(query, select=select, distinct=distinct))

    def _fewer_conditions(self, template: Template) -> Iterator[Template]:
        parts = _required(template.query.where)
        for part in parts:
            left_out = rebuilt(template.query, _without(part))
            yield _trimmed(left_out, template.blanks)

    def _more_conditions(self, template: Template) -> Iterator[Template]:
        """One more condition, also inside, where an extreme of the same table is taken."""
        query = template.query
        for table in mentioned_tables(query):
            taken = {c.left for c in comparisons(query.where)}
            for condition, donor in self._conditions[table.name].items() if table.instance == 0 else ():
                if condition.left not in taken:
                    more = _restricted(query, table, condition)
                    yield _trimmed(more, (*template.blanks, *donor.blanks))

    def _other_measures(self, template: Template) -> Iterator[Template]:
        """Other columns of which an extreme is taken, and the opposite extreme."""
        for column in {c: None for q in all_queries(template.query) for c in _measured(q)}:
            for name in self._measured[column.table.name]:
                if name != column.name:
                    swap = _swapped(column, replace(column, name=name))
                    yield replace(template, query=rebuilt(template.query, swap))
        turned = rebuilt(template.query, _turned)
        if turned != template.query:
            yield replace(template, query=turned)

    def _other_lists(self, template: Template) -> Iterator[Template]:
        """A value, or a list of them, exchanged for what another query finds, or for a value."""
        for query in all_queries(template.query):
            for part in comparisons(query.where):
                if not isinstance(part.left, ColumnRef) or part.operator not in {"=", "in"}:
                    continue
                inner = _listed(part)
                if inner is None and not isinstance(part.right, Literal):
                    continue
                for found, donor in self._lists[self._domain(ColumnKey.of(part.left))].items():
                    listed = ComparisonPredicate(part.left, "in", Subquery(found))
                    yield self._exchanged(template, part, listed, donor)
                if inner is not None:
                    for condition, donor in self._conditions[part.left.table.name].items():
                        if condition.left == part.left and condition.operator == "=":
                            yield self._exchanged(template, part, condition, donor)

    def _exchanged(
        self, template: Template, part: ComparisonPredicate, other: ComparisonPredicate, donor: Template
    ) -> Template:
        query = rebuilt(template.query, lambda n: other if n == part else n)
        return _trimmed(query, (*template.blanks, *donor.blanks))


def _plain(part: ComparisonPredicate) -> ComparisonPredicate:
    left = part.left
    return (
        replace(part, left=ColumnRef(TableRef(left.table.name), left.name))
        if isinstance(left, ColumnRef)
        else part
    )


def _required(condition: Condition | None) -> tuple[ComparisonPredicate, ...]:
    """The comparisons that have to hold all at once."""
    return tuple(p for p in conjuncts(condition) if isinstance(p, ComparisonPredicate))


def _listed(comparison: ComparisonPredicate) -> ColumnRef | None:
    """The one column of a subquery that a comparison looks its left side up in."""
    match comparison:
        case ComparisonPredicate(
            operator="in" | "=", right=Subquery(query=Query(select=(ColumnRef() as column,)))
        ):
            return column
    return None


def _measured(query: Query) -> Iterator[ColumnRef]:
    """The columns of which a query takes extremes."""
    for item in (*query.select, *(o.key for o in query.order)):
        for part in walk(item):
            match part:
                case Aggregate(function="max" | "min", argument=ColumnRef() as column):
                    yield column
    if query.limit is not None:
        yield from (o.key for o in query.order if isinstance(o.key, ColumnRef))


def _restricted(query: Query, table: TableRef, condition: ComparisonPredicate) -> Query:
    parts: list[Condition] = [condition]
    for part in _required(query.where):
        match part:
            case ComparisonPredicate(left=ColumnRef(table=left), right=Subquery(query=inner)) if (
                left == table and len(inner.select) == 1 and isinstance(inner.select[0], Aggregate)
            ):
                narrower = replace(inner, where=conjunction(inner.where, condition))
                part = replace(part, right=Subquery(narrower))  # noqa: PLW2901
        parts.append(part)
    rest = query.where if isinstance(query.where, Connective) and query.where.kind == "or" else None
    return replace(query, where=conjunction(rest, *parts))


def _without(part: ComparisonPredicate) -> Callable[[Any], Any]:
    def change(node: Any) -> Any:
        if isinstance(node, Query) and part in _required(node.where):
            kept = node.where.parts if isinstance(node.where, Connective) else ()
            tables = tuple(dict.fromkeys((*node.tables, *mentioned_tables(node))))
            changed = replace(node, where=conjunction(*(p for p in kept if p != part)))
            return replace(changed, tables=() if mentioned_tables(changed) else tables)
        return node

    return change


def _swapped(one: ColumnRef, other: ColumnRef) -> Callable[[Any], Any]:
    def change(node: Any) -> Any:
        if isinstance(node, ColumnRef) and ColumnKey.of(node) == ColumnKey.of(one):
            return replace(node, name=other.name)
        return node

    return change


def _turned(node: Any) -> Any:
    if isinstance(node, Aggregate):
        return replace(node, function=_OPPOSITE.get(node.function, node.function))
    if isinstance(node, Query) and node.limit is not None:
        return replace(node, order=tuple(OrderKey(o.key, not o.descending) for o in node.order))
    return node


def _trimmed(query: Query, blanks: Iterable[Blank]) -> Template:
    """The template with only the blanks that its query still has."""
    there = {
        (ColumnKey.of(c.left), c.right.value)
        for q in all_queries(query)
        for clause in (q.where, q.having)
        for c in comparisons(clause)
        if isinstance(c.left, ColumnRef) and isinstance(c.right, Literal)
    }
    kept = {(b.column, b.value): b for b in blanks if b.column is None or (b.column, b.value) in there}
    return Template(query, tuple(kept.values()))
