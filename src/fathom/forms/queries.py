"""Queries held against what their tables are: written anew where that is certain, refused where it isn't."""

from calendar import month_abbr, month_name
from collections.abc import Iterable, Iterator, Mapping

from sqlglot import exp

from fathom.errors import Misread
from fathom.forms.columns import ColumnForm
from fathom.forms.tables import TableForms
from fathom.forms.which_date import asked_words
from fathom.text.identifiers import identifier_words
from fathom.text.stems import stem_of

_NUMBER_WORDS = frozenset("count number no nr limit rows".split())
_ADDED_UP = frozenset("total sum summed altogether overall combined add added".split())
_MONTHS = frozenset(name.casefold() for name in (*month_name[1:], *month_abbr[1:]))
_FIRST_DAYS = frozenset("1 01 1st first".split())
_ORDINALS = {"first": "1", "second": "2", "third": "3"}
_SHORTEST_NAMED = 4
"""Letters from which a word of a question may name a column by its beginning: "weigh" for `weight_kg`."""
_TOTALS = (exp.Sum, exp.Avg, exp.Min, exp.Max)


def without_repeating_names(tree: exp.Expr, tables: Mapping[str, TableForms]) -> exp.Expr:
    """Compare keys where a query takes names of one list from those of another; gives the query.

    `SELECT name FROM t EXCEPT SELECT name FROM t JOIN u` loses whoever shares a name with somebody else.
    Raises `Misread` where the table has no key to compare.
    """
    for both in list(tree.find_all(exp.Except, exp.Intersect)):
        left, right = both.this, both.expression
        if not (isinstance(left, exp.Select) and isinstance(right, exp.Select)):
            continue
        shown, taken = _only_column(left, tables), _only_column(right, tables)
        if shown is None or taken is None or shown[0] is not taken[0] or shown[1] != taken[1]:
            continue
        table, column = shown[0], shown[1]
        if column not in table.repeating or left.args.get("joins") or not right.args.get("joins"):
            continue  # one table on both sides compares groups of its rows: "types of both flags"
        if not table.key:
            raise Misread(f"{column} of {table.name} repeats, and {table.name} has no key to tell rows apart")
        inner = right.copy()
        inner.set("expressions", [_beside(inner.selects[0], table.columns[table.key])])
        key = _beside(left.selects[0], table.columns[table.key])
        test: exp.Expr = exp.In(this=key, query=exp.Subquery(this=inner))
        by_key = left.where(exp.not_(test) if isinstance(both, exp.Except) else test)
        if both is tree:
            tree = by_key
        else:
            both.replace(by_key)
    return tree


def without_empty_groups(tree: exp.Expr, tables: Mapping[str, TableForms]) -> bool:
    """Leave rows without a value out where the first of the groups are asked for; tells whether it did."""
    changed = False
    for select in tree.find_all(exp.Select):
        group, order = select.args.get("group"), select.args.get("order")
        if group is None or order is None or select.args.get("limit") is None:
            continue
        for column in [g for g in group.expressions if isinstance(g, exp.Column)]:
            table = _table_of(column, select, tables)
            tested = {c.sql() for n in select.find_all(exp.Is) for c in n.find_all(exp.Column)}
            if table and column.name.casefold() in table.nullable and column.sql() not in tested:
                select.where(exp.not_(exp.Is(this=column.copy(), expression=exp.Null())), copy=False)
                changed = True
    return changed


def groups_left_out(tree: exp.Expr) -> Iterator[str]:
    """Name the columns of groups whose rows without a value a query leaves out."""
    for select in tree.find_all(exp.Select):
        grouped = {c.sql() for g in [select.args.get("group")] if g for c in g.expressions}
        where = select.args.get("where")
        for test in where.find_all(exp.Is) if where and select.args.get("limit") else ():
            denied = isinstance(test.find_ancestor(exp.Not, exp.Where), exp.Not)
            if denied and test.this.sql() in grouped:
                yield test.this.name


def check_currencies(tree: exp.Expr, tables: Mapping[str, TableForms]) -> None:
    """Raises `Misread` where amounts of several currencies are added up or compared."""
    for total in tree.find_all(*_TOTALS):
        for column in total.find_all(exp.Column):
            select = total.find_ancestor(exp.Select)
            table = _table_of(column, select, tables) if select is not None else None
            if table is None or not table.currency or column.name.casefold() not in table.amounts:
                continue
            named = {c.name.casefold() for c in tree.find_all(exp.Column)}
            if table.currency not in named:
                raise Misread(
                    f"{column.name} is in several currencies ({', '.join(table.currencies[:4])}): "
                    f"ask for one of them, or by {table.currency}"
                )


def by_currency(tree: exp.Expr, tables: Mapping[str, TableForms]) -> bool:
    """Add up amounts of several currencies for each by itself; tells whether there were any.

    Rankings and conditions on totals are left as they are, for `check_currencies` to refuse.
    """
    plain = isinstance(tree, exp.Select) and not any(tree.args.get(k) for k in ("having", "order", "limit"))
    if not isinstance(tree, exp.Select) or not plain or tree.find(exp.Subquery, exp.SetOperation):
        return False
    named = {c.name.casefold() for c in tree.find_all(exp.Column)}
    for total in tree.find_all(*_TOTALS):
        for column in total.find_all(exp.Column):
            table = _table_of(column, tree, tables)
            if table is None or not table.currency or column.name.casefold() not in table.amounts:
                continue
            if table.currency not in named:
                currency = exp.column(table.columns[table.currency], table=column.args.get("table"))
                tree.set("expressions", [currency, *tree.selects])
                tree.group_by(currency.copy(), copy=False)
                return True
    return False


def check_history(tree: exp.Expr, tables: Mapping[str, TableForms]) -> None:
    """Raises `Misread` where a query counts or sums earlier rows together with current ones."""
    named = {c.name.casefold() for c in tree.find_all(exp.Column)}
    if not list(tree.find_all(exp.AggFunc, exp.Limit, exp.EQ)):
        return
    for table in _read(tree, tables):
        if table.history and named.isdisjoint(table.history) and not any(d in named for d in table.dates):
            raise Misread(
                f"{table.name} also keeps earlier rows, told apart by {' and '.join(table.history)}: say "
                "whether the current rows are meant, or all"
            )


def amounts_in_small_units(tree: exp.Expr, tables: Mapping[str, TableForms]) -> Iterator[str]:
    """Name the columns of amounts in cents and the like that a query reads."""
    for select in tree.find_all(exp.Select):
        for column in select.find_all(exp.Column):
            table = _table_of(column, select, tables)
            if table is not None and column.name.casefold() in table.in_small_units:
                yield column.name


def dates_read(tree: exp.Expr, tables: Mapping[str, TableForms]) -> Iterator[tuple[TableForms, str]]:
    """Give the dates that a query filters, groups or sorts by, with their tables."""
    for select in tree.find_all(exp.Select):
        parts = (select.args.get(key) for key in ("where", "group", "having", "order"))
        for column in (c for part in parts if part is not None for c in part.find_all(exp.Column)):
            table = _table_of(column, column.find_ancestor(exp.Select) or select, tables)
            if table is not None and column.name.casefold() in table.dates and not _is_tested(column):
                yield table, column.name.casefold()


def first_by(tree: exp.Expr, tables: Mapping[str, TableForms]) -> Iterator[str]:
    """Give the dates by which a query takes its first rows."""
    for select in tree.find_all(exp.Select):
        order = select.args.get("order")
        if order is None or select.args.get("limit") is None:
            continue
        for column in order.expressions[0].find_all(exp.Column):
            table = _table_of(column, select, tables)
            if (
                table is not None
                and column.name.casefold() in table.dates
                and not column.find_ancestor(exp.AggFunc)
            ):
                yield column.name


def _is_tested(column: exp.Column) -> bool:
    """Tell whether a column is only asked whether it holds anything."""
    either = column.find_ancestor(exp.Or, exp.Query)
    tests = either.find_all(exp.Is) if isinstance(either, exp.Or) else ()
    return isinstance(column.parent, exp.Is) or any(t.this == column for t in tests)


def _read(tree: exp.Expr, tables: Mapping[str, TableForms]) -> Iterable[TableForms]:
    found = (tables.get(t.name.casefold()) for t in tree.find_all(exp.Table))
    return [t for t in found if t is not None]


def _table_of(column: exp.Column, select: exp.Expr, tables: Mapping[str, TableForms]) -> TableForms | None:
    joins = select.args.get("joins") or ()
    sources = [s.this for s in (select.args.get("from_"), *joins) if s is not None]
    named = [s for s in sources if isinstance(s, exp.Table)]
    if column.table:
        named = [t for t in named if t.alias_or_name.casefold() == column.table.casefold()]
    elif len(named) != 1:
        return None
    return tables.get(named[0].name.casefold()) if named else None


def _only_column(select: exp.Select, tables: Mapping[str, TableForms]) -> tuple[TableForms, str] | None:
    shown = [output.unalias() for output in select.selects]
    if len(shown) != 1 or not isinstance(shown[0], exp.Column) or select.args.get("group"):
        return None
    table = _table_of(shown[0], select, tables)
    return (table, shown[0].name.casefold()) if table is not None else None


def _beside(output: exp.Expr, name: str) -> exp.Column:
    """Another column of the table that a column belongs to."""
    column = output.unalias()
    return exp.column(
        name, table=column.args.get("table"), quoted=not name.isidentifier() or name != name.lower()
    )


def with_rows_counted(tree: exp.Expr, question: str) -> bool:
    """Count rows in place of the total of a column called `count` or the like; tells whether there was one.

    Only where the question names the column's table and adds nothing up.
    """
    sources, asked = list(tree.find_all(exp.Table)), asked_words(question)
    named = len(sources) == 1 and {stem_of(w) for w in identifier_words(sources[0].name)} <= asked
    if not named or set(_words_of(question)) & _ADDED_UP:
        return False
    totals = [t for t in tree.find_all(exp.Sum) if t.this.name.casefold() in _NUMBER_WORDS]
    for total in totals:
        total.replace(exp.Count(this=exp.Star()))
    return bool(totals)


def check_counted(tree: exp.Expr, question: str) -> None:
    """Raises `Misread` where a count of rows was read as the total of a column called `count` or the like."""
    asked = set(_words_of(question))
    for total in tree.find_all(exp.Sum):
        column = total.this
        if (
            isinstance(column, exp.Column)
            and column.name.casefold() in _NUMBER_WORDS
            and not asked & _ADDED_UP
        ):
            raise Misread(
                f"the question may ask for the number of rows or for the total of {column.name}: say which"
            )


def check_compared(tree: exp.Expr, question: str, forms: Iterable[ColumnForm]) -> None:
    """Raises `Misread` where rows are counted in place of numbers that are kept as text.

    As for "which animals weigh more than 10?" where `weight_kg` is text: groups of more than 10 rows. `forms`
    are those of the tables that the query reads.
    """
    asked = _words_of(question)
    read = {c.name.casefold() for c in tree.find_all(exp.Column)}
    counted = [t for having in tree.find_all(exp.Having) for t in having.find_all(exp.Count)]
    if not any(t.parent and t.parent.expression.name in asked for t in counted):
        return
    for form in forms:
        if form.kind != "number" or not form.is_text or form.column.casefold() in read:
            continue
        if any(_begin_alike(word, part) for word in asked for part in identifier_words(form.column)):
            raise Misread(f"{form.named}, and rows would be counted in its place")


def _begin_alike(one: str, other: str) -> bool:
    """Tell whether one of two words of some length begins with the other."""
    return min(len(one), len(other)) >= _SHORTEST_NAMED and (one.startswith(other) or other.startswith(one))


def check_ordinals(tree: exp.Expr, question: str) -> None:
    """Raises `Misread` where a word such as "first" was read as a value: `id = 1`."""
    asked = set(_words_of(question))
    for test in tree.find_all(exp.EQ):
        value = test.expression
        if not isinstance(value, exp.Literal) or value.name in asked or not isinstance(test.this, exp.Column):
            continue
        word = next((w for w, number in _ORDINALS.items() if w in asked and number == value.name), "")
        if word:
            raise Misread(f"the question's \u201c{word}\u201d would be read as a value of {test.this.name}")


def check_first_days(tree: exp.Expr, question: str) -> None:
    """Raises `Misread` where a month such as "June 2019" was read as its first day."""
    asked = set(_words_of(question))
    if asked.isdisjoint(_MONTHS) or asked & _FIRST_DAYS:
        return
    for test in tree.find_all(exp.EQ, exp.Like):
        day = test.expression.name.removesuffix("%").removesuffix(" 00:00:00")
        if isinstance(test.expression, exp.Literal) and day[7:] == "-01":
            raise Misread(f"the question names a month, which would be read as the day {day}")


def check_moments(test: exp.Expr, form: ColumnForm) -> None:
    """Raises `Misread` where a date is compared with a number, such as a year."""
    if any(isinstance(v, exp.Literal) and not v.is_string for v in test.iter_expressions()):
        raise Misread(f"{form.named}, and would be compared with a number")


def _words_of(question: str) -> list[str]:
    return [word.strip("?.,!;:\u201c\u201d'\"") for word in question.casefold().split()]
