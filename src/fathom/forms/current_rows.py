"""Rows that are valid now: of a person's salaries the current one, where the question names no other time."""

from collections.abc import Iterator, Mapping

from sqlglot import exp

from fathom.forms.tables import TableForms
from fathom.forms.which_date import names_time, plain_words

_ALL_VERSIONS = frozenset("all ever history versions previous former past old earlier changed".split())
"""Words of a question that speaks of earlier rows as well."""
_PICKING = (exp.Sum, exp.Avg, exp.Min, exp.Max, exp.Limit, exp.EQ)


def with_current_rows(tree: exp.Expr, question: str, tables: Mapping[str, TableForms]) -> bool:
    """Leave out what was valid earlier where a query picks or adds up rows; tells whether it did."""
    if not question or names_time(question) or plain_words(question) & _ALL_VERSIONS:
        return False
    if not tree.find(*_PICKING) or tree.find(exp.Count, exp.SetOperation):
        return False
    named = {c.name.casefold() for c in tree.find_all(exp.Column)}
    changed = False
    for source in list(tree.find_all(exp.Table)):
        table = tables.get(source.name.casefold())
        select = source.find_ancestor(exp.Select)
        if table is None or table.current is None or select is None:
            continue
        if named.isdisjoint(table.history) and named.isdisjoint(table.dates):
            select.where(_test(table, source, select), copy=False)
            changed = True
    return changed


def current_rows_alone(tree: exp.Expr, tables: Mapping[str, TableForms]) -> Iterator[str]:
    """Name the tables of which a query reads the current rows alone."""
    for source in tree.find_all(exp.Table):
        table = tables.get(source.name.casefold())
        select = source.find_ancestor(exp.Select)
        where = select.args.get("where") if select is not None else None
        if table is not None and table.current is not None and select is not None and where is not None:
            test = _test(table, source, select)
            if any(part == test for part in where.find_all(type(test))):
                yield table.name


def _test(table: TableForms, source: exp.Table, select: exp.Select) -> exp.Expr:
    assert table.current is not None, "asked of tables that tell current rows"
    name, value = table.current
    alias = source.alias_or_name if select.args.get("joins") else None
    column = exp.column(table.columns[name], table=alias)
    if value is None:
        return exp.Is(this=column, expression=exp.Null())
    return exp.EQ(this=column, expression=exp.convert(value))
