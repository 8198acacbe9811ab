"""Alignment of OpenSearch-SQL: faults of a query's style, functions and values (Xie et al. 2025)."""

from collections.abc import Iterator, Mapping

from sqlglot import exp

from fathom.databases.parsing import parsed
from fathom.methods import Context
from fathom.nl2sql.conditions import conditions
from fathom.nl2sql.lookup import Values, ratio
from fathom.nl2sql.nearness import nearness
from fathom.nl2sql.quoted_names import spelt_as
from fathom.records import Schema

SAME, DIGITS = 0.95, 0.6
MISPLACED = "It looks for values in columns that don't hold them."
GREATEST = "It compares with a subquery of MAX or MIN: join, or order and take LIMIT 1, instead."
NULLS_FIRST = "It orders upwards and takes the first rows: leave out NULLs of the column it orders by."
JOINED_BY_CHOICE = "It joins on one of several conditions: join on the one that is meant."
ORDERED_BY_EXTREME = "It orders by a MIN or MAX: order by the column itself, unless groups are meant."
FAULTS = (GREATEST, NULLS_FIRST, JOINED_BY_CHOICE, ORDERED_BY_EXTREME, MISPLACED)
"""Style, functions, values: the order in which they are mended."""


def mended(sql: str, schema: Schema, near: Mapping[str, str], *, most: int | None = None) -> str:
    """The query with what needs no judgement put right; as it was where nothing is amiss.

    COUNT over 1 and 0 becomes SUM; texts put together with a blank come apart; `t.*` becomes the key of t; a
    year compared with strftime gets its quotes; a literal that is nearly a found cell becomes the cell that
    `near` gives for it. `most` bounds how many of each kind are looked at.
    """
    if (tree := parsed(sql, schema.dialect)) is None:
        return sql
    before = tree.copy()
    for count in [c for c in tree.find_all(exp.Count) if _of_ones(c)][:most]:
        count.replace(exp.Sum(this=count.this.copy()))
    for query in list(tree.find_all(exp.Select))[:most]:
        query.set("expressions", [one for e in query.expressions for one in _apart(e, query, schema)])
    for equal in [e for e in tree.find_all(exp.EQ) if _of_a_date(e)][:most]:
        year = equal.expression
        if isinstance(year, exp.Literal):
            year.replace(exp.Literal.string(year.this))
    for literal in [v for v in tree.find_all(exp.Literal) if v.is_string and v.this in near][:most]:
        literal.replace(exp.Literal.string(near[literal.this]))
    return sql if tree == before else spelt_as(str(tree.sql(schema.dialect)), sql, schema.dialect)


def _of_ones(count: exp.Count) -> bool:
    return isinstance(count.this, exp.Case) and _is_number(count.this.args.get("default"), "0")


def _of_a_date(equal: exp.EQ) -> bool:
    return "strftime" in equal.this.sql("sqlite").casefold()


def faults(sql: str, schema: Schema, values: Values) -> list[str]:
    """Find the other faults of a query, among `FAULTS`."""
    if (tree := parsed(sql, schema.dialect)) is None:
        return []
    found = []
    if any(isinstance(_only(e.expression), exp.Max | exp.Min) for e in tree.find_all(exp.EQ)):
        found.append(GREATEST)
    order = tree.args.get("order")
    terms = order.expressions if order is not None else []
    sums = order is not None and order.find(exp.Sum, exp.Count) is not None
    if terms and tree.args.get("limit") and not sums and not terms[0].args.get("desc"):
        found.append(NULLS_FIRST)
    if any(
        j.args.get("on") is not None and j.args["on"].find(exp.Or, exp.In) for j in tree.find_all(exp.Join)
    ):
        found.append(JOINED_BY_CHOICE)
    if any(isinstance(t.this, exp.Max | exp.Min) for t in terms):
        found.append(ORDERED_BY_EXTREME)
    elsewhere = list(misplaced(sql, schema, values))
    return [*found, MISPLACED] if elsewhere else found


def join_choices(sql: str, schema: Schema) -> list[str]:
    """The query with each alternative of the first join that is made on one of several conditions."""
    if (tree := parsed(sql, schema.dialect)) is None:
        return []
    choice = _choice(tree)
    if choice is None:
        return []
    made = []
    for part in _alternatives(choice):
        copy = tree.copy()
        place = _choice(copy)
        if place is not None:
            place.replace(part.copy())
        made.append(spelt_as(str(copy.sql(schema.dialect)), sql, schema.dialect))
    return made


def _choice(tree: exp.Expr) -> exp.Or | exp.In | None:
    """The first OR or IN that a join is made on."""
    ons = (join.args.get("on") for join in tree.find_all(exp.Join))
    return next((found for on in ons if on is not None and (found := on.find(exp.Or, exp.In))), None)


def _alternatives(choice: exp.Or | exp.In) -> list[exp.Expr]:
    if isinstance(choice, exp.Or):
        return list(choice.flatten())
    return [exp.EQ(this=choice.this.copy(), expression=one.copy()) for one in choice.expressions]


def misplaced(sql: str, schema: Schema, values: Values) -> Iterator[str]:
    """Literals that other columns hold, each with the column that does. Data, to be fenced."""
    for one in conditions(sql, schema):
        if not one.is_text or one.literal in values.get(one.table, {}).get(one.column, []):
            continue
        if sum(letter.isdigit() for letter in one.literal) > DIGITS * len(one.literal):
            continue
        for table, columns in values.items():
            for column, cells in columns.items():
                if one.literal in cells:
                    yield f"{table}.{column} = {one.literal!r}, rather than {one.table}.{one.column}"


async def near_cells(context: Context, sql: str, values: Values) -> dict[str, str]:
    """The literals that are no found cell and yet nearly one of their column, each with that cell.

    Near is a cosine above 0.95, or without embeddings such a ratio of edits.
    """
    found: dict[str, str] = {}
    for one in conditions(sql, context.database.schema):
        cells = values.get(one.table, {}).get(one.column, [])
        digits = sum(letter.isdigit() for letter in one.literal) > DIGITS * len(one.literal)
        if not one.is_text or digits or not cells or one.literal in cells:
            continue
        cosines = await nearness(context, one.literal, cells)
        rated = [ratio(cell, one.literal) for cell in cells] if cosines is None else list(map(float, cosines))
        best = max(range(len(cells)), key=rated.__getitem__)
        if rated[best] > SAME:
            found[one.literal] = cells[best]
    return found


def _apart(selected: exp.Expr, query: exp.Select, schema: Schema) -> list[exp.Expr]:
    """Split one selected expression into its parts, a table's key, or itself."""
    inner = selected.unalias()
    if isinstance(inner, exp.DPipe):
        parts = list(inner.flatten())
        if any(isinstance(p, exp.Literal) and p.this == " " for p in parts):
            return [p for p in parts if not isinstance(p, exp.Literal)]
    if isinstance(inner, exp.Column) and inner.is_star and inner.table:
        names = {t.alias_or_name: t.name for t in query.find_all(exp.Table)}
        name = names.get(inner.table, "")
        if name in schema and (key := schema.table(name).primary_key):
            return [exp.column(c, table=inner.table) for c in key]
    return [selected]


def _only(side: exp.Expr) -> exp.Expr | None:
    """The one thing that a subquery selects."""
    query = side.unnest()
    return query.expressions[0].unalias() if isinstance(query, exp.Select) and query.expressions else None


def _is_number(value: object, text: str) -> bool:
    return isinstance(value, exp.Literal) and not value.is_string and value.this == text
