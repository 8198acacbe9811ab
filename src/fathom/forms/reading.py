"""Queries that read columns by their forms: written anew where that is possible, refused where it isn't."""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import Scope, traverse_scope

from fathom.errors import Misread
from fathom.forms.columns import ColumnForm, forms_of
from fathom.forms.current_rows import current_rows_alone, with_current_rows
from fathom.forms.days_between import count_days
from fathom.forms.expressions import (
    READ_BY_EXPRESSION,
    as_meant,
    held_value,
    holds_none,
    is_within,
    membership,
    total_of_times,
)
from fathom.forms.formats import NO_FORMATS, Formats, format_named, reads_as
from fathom.forms.open_rows import with_open_rows
from fathom.forms.placeholders import taken_as_none, without_placeholders
from fathom.forms.queries import (
    amounts_in_small_units,
    by_currency,
    check_compared,
    check_counted,
    check_currencies,
    check_first_days,
    check_history,
    check_moments,
    check_ordinals,
    dates_read,
    first_by,
    groups_left_out,
    with_rows_counted,
    without_empty_groups,
    without_repeating_names,
)
from fathom.forms.tables import tables_of
from fathom.forms.which_date import check_dates, check_first, open_word, unit_asked
from fathom.records import Schema, TableProfile

_EQUALITIES = (exp.EQ, exp.NEQ, exp.In)
_READ_BY_VALUE = (
    *(exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.In, exp.Like, exp.ILike, exp.Ordered),
    *(exp.Min, exp.Max, exp.Sum, exp.Avg, exp.Median, exp.Stddev, exp.Variance, exp.Abs, exp.Round),
    *(exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Neg),
    *(exp.TsOrDsToTimestamp, exp.TsOrDsToDate, exp.TimeToStr, exp.Extract, exp.Year, exp.Month, exp.Day),
    *(exp.Week, exp.Quarter, exp.DayOfWeek, exp.DayOfMonth, exp.DayOfYear, exp.DateTrunc),
    *(exp.TimestampTrunc, exp.DateDiff, exp.TimestampDiff, exp.Date, exp.DateAdd, exp.DateSub, exp.StrToUnix),
)
"""Places where it matters what a value means."""
_READING_FUNCTIONS = frozenset(
    "strftime date datetime time julianday to_days year month day week quarter date_part date_trunc datediff "
    "date_diff "
    "timestampdiff to_char date_format age monthname dayname dayofweek weekday extract to_date total sum avg "
    "min max".split()
)
_MEANT_TYPES = frozenset((*exp.DataType.NUMERIC_TYPES, *exp.DataType.TEMPORAL_TYPES))


class FormReader:
    """Reads queries of one database by the forms of its columns.

    `forms` has those columns alone whose values aren't what they look like, by table and column name. `told`
    are the formats that a knowledge pack gives, such as DD/MM/YYYY.
    """

    def __init__(
        self,
        schema: Schema,
        profiles: Mapping[str, TableProfile],
        dialect: str,
        told: Formats = NO_FORMATS,
    ) -> None:
        self.dialect = dialect
        self.forms = forms_of(schema, profiles, told)
        self.tables = tables_of(schema, profiles)
        self._tables = {t.name.casefold(): {c.name.casefold() for c in t.columns} for t in schema.tables}
        self._names = {column for _, column in self.forms}
        self._told_apart = {name for name, t in self.tables.items() if t.history or t.currency}

    def read(self, sql: str, question: str = "") -> str:
        """Write a query so that each column is read by its form; the same text where none needs it.

        What has ended is left out, and durations are added up in hours, where the `question` says so.
        Raises `Misread` where a column can't be read so.
        """
        folded = sql.casefold()
        whole = (
            " except " in folded
            or " intersect " in folded
            or (" group by " in folded and " limit " in folded)
            or " - " in folded
        )
        whole = whole or bool(question and any(name in folded for name in self._told_apart))
        whole = whole or bool(question and "sum(" in folded)
        if not whole and not open_word(question) and not any(name in folded for name in self._names):
            return sql
        unit = unit_asked(question)
        sql = self.as_asked(sql) if unit else sql
        try:
            tree = parse_one(sql, dialect=self.dialect)
            traverse_scope(tree)
        except (SqlglotError, RecursionError):
            return sql
        changed = [with_open_rows(tree, question, self.tables), without_empty_groups(tree, self.tables)]
        changed += [with_rows_counted(tree, question)]
        changed += [with_current_rows(tree, question, self.tables)]
        changed += [bool(question) and by_currency(tree, self.tables)]
        scopes = traverse_scope(tree)
        dated = {id(c) for scope in scopes for c in scope.columns if self._is_date(c, scope)}
        changed.append(count_days(tree, lambda column: id(column) in dated, self.dialect))
        found = [(column, form) for scope in scopes for column, form in self._found(scope)]
        changed += [self._change(column, form, unit) for column, form in found]
        by_key = without_repeating_names(tree, self.tables)
        return by_key.sql(self.dialect) if any(changed) or by_key is not tree else sql

    def as_asked(self, sql: str) -> str:
        """Write a query without the expressions that read columns by their forms, to put it in words."""
        folded = sql.casefold()
        if not any(name in folded for name in self._names):
            return sql
        try:
            tree = parse_one(sql, dialect=self.dialect)
            found = [pair for scope in traverse_scope(tree) for pair in self._found(scope)]
        except (SqlglotError, RecursionError):
            return sql
        for column, form in found:
            whole = self._reading_of(column, form)
            if whole is not None and whole.parent is not None:
                whole.replace(self._plainly(whole, column, form))
        return tree.sql(self.dialect)

    def _reading_of(self, column: exp.Column, form: ColumnForm) -> exp.Expr | None:
        """The expression around a column that reads it by its form."""
        reads = [as_meant(form, column, self.dialect)] if form.kind in READ_BY_EXPRESSION else []
        reads += [holds_none(form, column), held_value(form, column)] if form.placeholders else []
        if form.kind == "duration":
            reads += [total_of_times(f(this=column.copy()), self.dialect) for f in (exp.Sum, exp.Avg)]
        wanted = {read.sql(self.dialect) for read in reads if read is not None}
        node = column.parent
        while node is not None and not (isinstance(node, exp.Query) and form.kind != "list"):
            if node.sql(self.dialect) in wanted or (form.kind == "list" and self._member(node, column, form)):
                return node
            node = node.parent
        return None

    def _member(self, node: exp.Expr, column: exp.Column, form: ColumnForm) -> str:
        """The member that a test of a list looks for; "" for what is no such test."""
        text = node.sql(self.dialect)
        for literal in node.find_all(exp.Literal):
            test = membership(form, column.copy(), literal.name, self.dialect)
            if test is not None and test.sql(self.dialect) == text:
                return literal.name
        return ""

    def _plainly(self, whole: exp.Expr, column: exp.Column, form: ColumnForm) -> exp.Expr:
        if isinstance(whole, exp.Paren) and isinstance(whole.this, exp.Or) and whole.find(exp.Is):
            return exp.Is(this=column.copy(), expression=exp.Null())
        if form.kind == "duration":
            function = exp.Avg if whole.find(exp.Avg) else exp.Sum
            return function(this=column.copy())
        if form.kind != "list":
            return column.copy()
        member = exp.Literal.string(self._member(whole, column, form))
        return exp.EQ(this=column.copy(), expression=member)

    def check(self, sql: str, question: str) -> None:
        """Check a query against what its tables keep: currencies, earlier rows, several dates.

        Raises `Misread`. Without a `question` the dates aren't checked.
        """
        with suppress(SqlglotError, RecursionError):
            tree = parse_one(sql, dialect=self.dialect)
            check_currencies(tree, self.tables)
            check_history(tree, self.tables)
            if question:
                check_counted(tree, question)
                read = {t.name.casefold() for t in tree.find_all(exp.Table)}
                check_compared(tree, question, [f for (table, _), f in self.forms.items() if table in read])
                check_ordinals(tree, question)
                check_first_days(tree, question)
                check_first(question, first_by(tree, self.tables))
                check_dates(question, dates_read(tree, self.tables))

    def remarks(self, sql: str) -> Iterator[str]:
        """Say what a query leaves out for the forms of its columns, and in which unit its amounts are."""
        with suppress(SqlglotError, RecursionError):
            tree = parse_one(sql, dialect=self.dialect)
            found = [pair for scope in traverse_scope(tree) for pair in self._found(scope)]
            forms = {form for _, form in found}
            for form in sorted((f for f in forms if f.kind == "number" and f.unfit), key=lambda f: f.column):
                cells, hold = ("cell", "holds") if form.unfit == 1 else ("cells", "hold")
                yield f"{form.unfit:,} {cells} of {form.column} {hold} no number: left out."
            yield from dict.fromkeys(
                said for column, form in found if (said := taken_as_none(column, form, self.dialect))
            )
            yield from (f"Rows without {name} are left out." for name in groups_left_out(tree))
            yield from (f"Only the current rows of {name}." for name in current_rows_alone(tree, self.tables))
            for name in dict.fromkeys(amounts_in_small_units(tree, self.tables)):
                yield f"{name} is in the smallest unit of its currency, as stored: not divided by 100."

    def _found(self, scope: Scope) -> Iterator[tuple[exp.Column, ColumnForm]]:
        for column in scope.columns:
            if column.name.casefold() in self._names and (form := self._form_of(column, scope)):
                yield column, form

    def _form_of(self, column: exp.Column, scope: Scope | None) -> ColumnForm | None:
        home = self._home_of(column, scope)
        return self.forms.get(home) if home else None

    def _is_date(self, column: exp.Column, scope: Scope) -> bool:
        home = self._home_of(column, scope)
        return bool(home and home[0] in self.tables and home[1] in self.tables[home[0]].dates)

    def _home_of(self, column: exp.Column, scope: Scope | None) -> tuple[str, str] | None:
        """The table and the name in it of a column, in small letters; None where it is none of a table."""
        name, alias = column.name.casefold(), column.table
        while scope is not None:
            for source_name, source in scope.sources.items():
                if alias and source_name.casefold() != alias.casefold():
                    continue
                if isinstance(source, exp.Table):
                    if name in self._tables.get(source.name.casefold(), ()):
                        return source.name.casefold(), name
                elif (inner := _given(source, name)) is not None:
                    return self._home_of(inner, source)
            scope = scope.parent
        return None

    def _change(self, column: exp.Column, form: ColumnForm, unit: str) -> bool:
        """Read one column by its form, in its place; tells whether anything had to be written anew."""
        node: exp.Expr = column
        while isinstance(node.parent, exp.Paren):
            node = node.parent
        parent = node.parent
        if form.placeholders and without_placeholders(node, column, form, self.dialect):
            return True
        match form.kind:
            case "placeholder":
                return False
            case "duration":
                return self._in_duration(parent, unit)
            case "object" if isinstance(parent, (*_EQUALITIES, exp.Like, exp.ILike)) or _groups(node, parent):
                raise Misread(f"{form.named}, which isn't compared or grouped by as a whole")
            case "object":
                return False
            case "list":
                return self._in_list(node, parent, column, form)
        return self._in_expression(node, parent, column, form)

    def _in_duration(self, parent: exp.Expr | None, unit: str) -> bool:
        total = total_of_times(parent, self.dialect, unit) if isinstance(parent, (exp.Sum, exp.Avg)) else None
        if parent is not None and total is not None:
            parent.replace(total)
        return total is not None

    def _in_expression(
        self, node: exp.Expr, parent: exp.Expr | None, column: exp.Column, form: ColumnForm
    ) -> bool:
        if not _is_used(node, parent) or (isinstance(parent, _EQUALITIES) and _as_stored(parent, node, form)):
            return False
        by_year = form.other and isinstance(parent, exp.Binary) and _asks_for_a_year(parent)
        read = as_meant(replace(form, other="") if by_year else form, column, self.dialect)
        if read is None:
            raise Misread(_unread(form))
        if form.kind in ("date", "epoch") and isinstance(parent, exp.Predicate):
            check_moments(parent, form)
            if isinstance(parent, (exp.Like, exp.ILike)) and self.dialect != "sqlite":
                read = exp.cast(read, "TEXT")
        if isinstance(parent, exp.Ordered):
            parent.set("nulls_first", False)  # cells that hold no number are neither the least nor the most
        if is_within(column, read, self.dialect):
            return False
        whole = isinstance(parent, exp.Cast) and not parent.is_type(*exp.DataType.TEXT_TYPES)
        (parent if whole and parent is not None else column).replace(read)
        return True

    def _in_list(self, node: exp.Expr, parent: exp.Expr | None, column: exp.Column, form: ColumnForm) -> bool:
        if isinstance(parent, (exp.EQ, exp.NEQ, exp.Like, exp.ILike)):
            other = parent.expression if parent.this is node else parent.this
            values = [other]
        elif isinstance(parent, exp.In) and parent.this is node and parent.expressions:
            values = parent.expressions
        elif _groups(node, parent):
            raise Misread(f"{form.named}. Ask for one of its members: whole lists aren't grouped or sorted")
        else:
            return False
        tests = []
        for value in values:
            members = _members(value, form) if isinstance(value, exp.Literal) else []
            test = membership(form, column.copy(), members[0], self.dialect) if len(members) == 1 else None
            if test is None:
                raise Misread(f"{form.named}. Ask for one of its members at a time")
            tests.append(test)
        whole = exp.or_(*tests) if len(tests) > 1 else tests[0]
        parent.replace(exp.not_(exp.paren(whole)) if isinstance(parent, exp.NEQ) else whole)
        return True


def _given(source: Scope, name: str) -> exp.Column | None:
    """The column that a subquery gives under a name, where it gives one as it is."""
    select = source.expression
    for output in select.selects if isinstance(select, exp.Query) else ():
        inner = output.unalias()
        if output.alias_or_name.casefold() == name and isinstance(inner, exp.Column):
            return inner
    return None


def _is_used(node: exp.Expr, parent: exp.Expr | None) -> bool:
    """Tell whether a place reads what a value means; to show, count or group by it takes it as it is."""
    if isinstance(parent, (exp.EQ, exp.NEQ)):
        return not _is_stored(parent.expression if parent.this is node else parent.this)
    if isinstance(parent, exp.In) and isinstance(query := parent.args.get("query"), exp.Expr):
        return not _is_stored(query)
    if isinstance(parent, exp.Cast):
        return parent.to.this in _MEANT_TYPES or isinstance(parent.parent, (exp.EQ, exp.Like, exp.ILike))
    if isinstance(parent, exp.Anonymous):
        return parent.name.casefold() in _READING_FUNCTIONS
    return isinstance(parent, _READ_BY_VALUE)


def _is_stored(other: exp.Expr) -> bool:
    """Tell whether the other side of a comparison is a column as it is stored, or a query that gives one."""
    other = other.unnest()
    if isinstance(other, exp.Select) and len(other.selects) == 1:
        other = other.selects[0].unalias()
    return isinstance(other, exp.Column)


def _groups(node: exp.Expr, parent: exp.Expr | None) -> bool:
    return isinstance(parent, (exp.Group, exp.Ordered, exp.Distinct, exp.Min, exp.Max)) or (
        isinstance(parent, exp.Select) and parent.args.get("distinct") is not None
    )


def _as_stored(comparison: exp.Expr, node: exp.Expr, form: ColumnForm) -> bool:
    """Tell whether a column is held against a value in the form that it is stored in."""
    values = (
        comparison.expressions if isinstance(comparison, exp.In) else [comparison.this, comparison.expression]
    )
    literals = [v for v in values if v is not node and isinstance(v, exp.Literal)]
    return bool(literals) and all(_has_form(v, form) for v in literals)


def _has_form(value: exp.Literal, form: ColumnForm) -> bool:
    if value.name in form.placeholders:
        return True
    if form.kind == "date":
        try:
            datetime.strptime(value.name, form.pattern.replace("%-", "%"))
        except ValueError:
            return False
        return True
    return value.is_string and form.kind == "number"


def _members(value: exp.Literal, form: ColumnForm) -> list[str]:
    """The members that a value of a list column names: one, or those of a whole cell."""
    text = value.name.strip("%")
    if form.pattern == "json" and text.startswith("["):
        with suppress(ValueError):
            found = json.loads(text)
            return [str(m) for m in found] if isinstance(found, list) else [text]
    if form.pattern == "array" and text.startswith(("{", "[")):
        return [m.strip().strip("\"'") for m in text[1:-1].split(",")]
    if form.pattern not in ("json", "array") and form.pattern in text:
        return [m.strip() for m in text.split(form.pattern)]
    return [text]


def _asks_for_a_year(test: exp.Binary) -> bool:
    """Tell whether a test gives the same for dates of which day and month are taken for each other."""
    value = test.expression
    if not isinstance(value, exp.Literal) or not value.is_string:
        return False
    if isinstance(test, (exp.GTE, exp.LT)):
        return value.name[4:] in ("-01-01", "-01-01 00:00:00")
    return isinstance(test, exp.Like) and value.name[4:] in ("%", "-%")


def _unread(form: ColumnForm) -> str:
    if form.kind == "number" and form.other:
        return f"{form.named}, where some numbers have a decimal comma and others a decimal point"
    if form.other:
        both = (form.pattern, form.other)
        months = reads_as(form.example, both) or " or ".join(map(format_named, both))
        return f"{form.named}, which may be {months}: say which in a knowledge pack, as its format"
    return f"{form.named}, which can't be compared or sorted as it is"
