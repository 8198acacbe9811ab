"""Checks of a template: its slots, its categories, its query's habits, and a run of its query."""

from collections.abc import Iterator, Sequence
from itertools import islice

from sqlglot import exp

from fathom.authoring.templates.fillings import Fillings, filled_sql, slots_of
from fathom.authoring.templates.sql_categories import (
    calculates,
    conventions_in,
    other_categories,
    parsed,
    sql_categories,
)
from fathom.authoring.templates.template_file import SLOT, QuestionTemplate, TemplateSet
from fathom.databases.database import Database
from fathom.databases.parsing import tables_of
from fathom.errors import FathomError, QueryError
from fathom.evaluation.categories import REASONING, SQL_CATEGORIES
from fathom.records import Limits

TRIED = 5
"""Fillings of a template whose queries are run before it counts as sound."""
_SECONDS = 30.0


def problems(
    template: QuestionTemplate, known: TemplateSet, fillings: Fillings, database: Database
) -> list[str]:
    """Everything that is wrong with a template; nothing where it may be expanded."""
    if unknown := [d for d in template.domains if d not in known.domains]:
        return [f"there is no domain {unknown[0]!r}"]
    try:
        tried = [f for f, _ in islice(fillings.drawn(template, TRIED), TRIED)]
    except FathomError as error:
        return [f"its slots can't be filled: {error}"]
    bound = {slot for slot in tried[0] if not slot.endswith("_said")}
    if found := list(_of_slots(template, bound)):
        return found
    queries = [filled_sql(template.sql, filling, known.dialect) for filling in tried]
    try:
        tree = parsed(queries[0], known.dialect)
    except QueryError as error:
        return [f"its SQL {error}"]
    return [
        *_of_habits(tree, known),
        *_of_categories(tree, template, known),
        *_of_running(queries, database),
        *_of_answers(template, tree),
    ]


def _of_slots(template: QuestionTemplate, bound: set[str]) -> Iterator[str]:
    for text in (*template.questions, template.sql, *template.answer.values()):
        if unbound := sorted(slots_of(text) - bound):
            yield f"slot {unbound[0]!r} is bound by no domain: {text}"
    for text in (*template.questions, template.sql):
        if unused := sorted(bound - slots_of(text)):
            yield f"slot {unused[0]!r} isn't used: {text}"
    if len(set(template.questions)) < len(template.questions):
        yield "a phrasing is there twice"


def _of_habits(tree: exp.Query, known: TemplateSet) -> Iterator[str]:
    """Least evidence: no `SELECT *`; the id of each row shown, and a limit, unless the query calculates."""
    if any(p.is_star for p in tree.selects):
        yield "selects *; name the columns that are needed"
    if calculates(tree):
        return
    selected = {p.unalias().name.casefold() for p in tree.selects}
    if known.id_column and known.id_column.casefold() not in selected and not tree.find(exp.Distinct):
        yield f"doesn't select {known.id_column}, though it doesn't calculate or ask for DISTINCT values"
    limit = tree.args.get("limit")
    if limit is None:
        yield f"has no limit; the file's is LIMIT {known.limit}"
    elif not tree.find(exp.Order) and limit.expression.name != str(known.limit):
        yield f"has LIMIT {limit.expression.name} without an order; the file's is LIMIT {known.limit}"


def _of_categories(tree: exp.Query, template: QuestionTemplate, known: TemplateSet) -> Iterator[str]:
    derived = sql_categories(tree)
    if unknown := set(template.sql_categories) - set(SQL_CATEGORIES):
        yield f"{min(unknown)!r} is no category of queries; there is: {', '.join(SQL_CATEGORIES)}"
    elif set(derived) != set(template.sql_categories):
        yield _differ("queries", template.sql_categories, derived)
    others = other_categories(tree, known.categories, known.dialect)
    if set(others) != set(template.categories):
        yield _differ("content", template.categories, others)
    if unknown := set(template.reasoning) - set(REASONING):
        yield f"{min(unknown)!r} is no kind of reasoning; there is: {', '.join(REASONING)}"
        return
    reasoning = {
        "implicit convention": conventions_in(tree, known.categories, known.dialect),
        "missing context": bool(template.context),
        "multi-hop": len(tables_of(tree)) > 1,
    }
    told = [name for name in REASONING if reasoning[name]]
    if set(told) != set(template.reasoning):
        yield _differ("reasoning", template.reasoning, told)


def _differ(kind: str, stated: Sequence[str], derived: Sequence[str]) -> str:
    says, is_so = ", ".join(stated) or "none", ", ".join(derived) or "none"
    return f"its categories of {kind} are stated as {says}, but the query is of {is_so}"


def _of_running(queries: Sequence[str], database: Database) -> Iterator[str]:
    for sql in queries:
        try:
            database.run(sql, Limits(seconds=_SECONDS))
        except QueryError as error:
            yield f"a query fails: {error}: {sql}"
            return


def _of_answers(template: QuestionTemplate, tree: exp.Query) -> Iterator[str]:
    columns = {p.alias_or_name.casefold() for p in tree.selects}
    for text in template.answer.values():
        for name in SLOT.findall(text):
            kind, dot, column = name.partition(".")
            if dot and (kind not in {"first", "list"} or column.casefold() not in columns):
                there = ", ".join(sorted(columns))
                yield f"the answer names {{{name}}}; there is first. and list. with {there}"
