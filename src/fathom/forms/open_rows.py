"""Rows that haven't ended: "hires still out" are those without a date of return."""

from collections.abc import Mapping

from sqlglot import exp

from fathom.errors import Misread
from fathom.forms.tables import TableForms
from fathom.forms.which_date import ending_dates, open_word

_RESTRICTING = (exp.Where, exp.Having, exp.SetOperation)


def with_open_rows(tree: exp.Expr, question: str, tables: Mapping[str, TableForms]) -> bool:
    """Leave out what has ended where the question does and the query restricts nothing; tells whether it did.

    Raises `Misread` where it isn't clear which date is the end.
    """
    word = open_word(question)
    if not word or not isinstance(tree, exp.Select) or tree.find(*_RESTRICTING):
        return False
    read = [(t, tables[t.name.casefold()]) for t in tree.find_all(exp.Table) if t.name.casefold() in tables]
    ends = [(source, table.columns[date]) for source, table in read for date in ending_dates(question, table)]
    if len(ends) != 1:
        raise Misread(f"nothing in the query for it accounts for \u201c{word}\u201d")
    source, date = ends[0]
    alias = source.alias_or_name if tree.args.get("joins") else None
    column = exp.column(date, table=alias, quoted=True)
    tree.where(exp.Is(this=column, expression=exp.Null()), copy=False)
    return True
