"""The effects of a knowledge pack: names for linking, and conventions added to queries as data."""

from collections.abc import Iterator
from dataclasses import replace

from sqlglot import exp

from fathom.knowledge import ColumnNote, Convention, KnowledgePack
from fathom.knowledge.sql import columns_of
from fathom.offline.linking import ColumnKey
from fathom.offline.linking.columns import schema_columns
from fathom.offline.linking.schema_words import Notes
from fathom.offline.queries.from_sql import parse
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import (
    Aggregate,
    ColumnRef,
    Condition,
    Query,
    Star,
    TableRef,
    Unrepresentable,
    columns,
    comparisons,
    conjunction,
    conjuncts,
    expressions,
    mentioned_tables,
)
from fathom.offline.queries.value_matches import as_noted
from fathom.records import Assumption, ForeignKey, Schema


def notes_of(pack: KnowledgePack, schema: Schema) -> Notes:
    """The pack's descriptions and synonyms by table and column, names folded, for linking."""
    descriptions: dict[tuple[str, ...], str] = {}
    synonyms: dict[tuple[str, ...], tuple[str, ...]] = {}
    names: dict[tuple[str, ...], str] = {}
    for table in schema.tables:
        note = pack.table(table.name)
        if note is None:
            continue
        key = (table.name.casefold(),)
        descriptions[key], names[key] = note.description, note.name
        synonyms[key] = tuple(s for s in (note.name, *note.synonyms) if s)
        for column in table.columns:
            if (own := note.column(column.name)) is not None:
                place = (*key, column.name.casefold())
                descriptions[place], names[place] = own.description, own.name
                synonyms[place] = tuple(s for s in (own.name, *own.synonyms) if s)
    for named, words in _glossary(pack, schema):
        synonyms[named] = (*synonyms.get(named, ()), *words)
    separators = {c: note.separator for c, note in _columns(pack, schema) if note.match == "item"}
    return Notes(
        {k: d for k, d in descriptions.items() if d},
        {k: s for k, s in synonyms.items() if s},
        tuple(_meanings(pack, schema)),
        separators,
        names,
    )


def _columns(pack: KnowledgePack, schema: Schema) -> Iterator[tuple[ColumnKey, ColumnNote]]:
    """The columns of the schema that the pack has a note on."""
    for key, _ in schema_columns(schema):
        if (note := pack.column(*key)) is not None:
            yield key, note


def _meanings(pack: KnowledgePack, schema: Schema) -> Iterator[tuple[ColumnKey, str, str]]:
    """Other words for stored values: of columns' notes, and of terms that name a value."""
    for column, note in _columns(pack, schema):
        for stored, meaning in note.values.items():
            for phrase in meaning.words:
                yield column, phrase, stored
    for term in pack.glossary:
        if term.column and term.value is not None:
            table, _, name = term.column.rpartition(".")
            for owner in [table] if table else list(term.tables):
                if owner in schema:
                    place = schema.table(owner)
                    for phrase in term.words:
                        yield ColumnKey(place.name, place.column(name).name), phrase, term.value


def _glossary(pack: KnowledgePack, schema: Schema) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Terms that name a table or a whole column, by what they name."""
    for term in pack.glossary:
        if term.column and term.value is None:
            table, _, column = term.column.rpartition(".")
            for name in [table] if table else list(term.tables):
                if name in schema:
                    yield (name.casefold(), column.casefold()), term.words
        elif term.tables and not (term.column or term.condition or term.expression):
            for name in term.tables:
                yield (name.casefold(),), term.words


def with_hints(schema: Schema, pack: KnowledgePack) -> Schema:
    """The schema with the pack's join hints as keys."""
    hints = tuple(
        ForeignKey(j.table, j.columns, j.target_table, j.target_columns, inferred=True, confidence=1.0)
        for j in pack.joins
        if j.table in schema and j.target_table in schema
    )
    return replace(schema, foreign_keys=schema.foreign_keys + hints) if hints else schema


def apply_conventions(
    query: Query, question: str, pack: KnowledgePack, planner: JoinPlanner
) -> tuple[Query, tuple[Assumption, ...]]:
    """The query with what the pack's conventions add, and values compared as its notes say.

    With it what to tell the person about each.
    """
    told = []
    for convention in pack.conventions:
        changed, left_out = _applied(query, question, convention, planner, pack.dialect or "sqlite")
        source = convention.source or convention.name
        if changed != query:
            query = changed
            told.append(Assumption("convention", convention.rule, source))
        for sql in left_out:
            why = f"Not applied: “{convention.rule}”, for the offline method can't read its condition {sql}."
            told.append(Assumption("convention", why, source))
    query, compared = as_noted(query, pack)
    return query, (*told, *compared)


def _applied(
    query: Query, question: str, convention: Convention, planner: JoinPlanner, dialect: str
) -> tuple[Query, tuple[str, ...]]:
    """The query with what a convention adds, and its conditions that can't be read."""
    if query.source is not None:
        return query, ()
    conditions_on = [c.left.name for c in comparisons(query.where) if isinstance(c.left, ColumnRef)]
    aggregate = bool(query.group) or any(isinstance(e, Aggregate) for e in expressions(query))
    used = [t.name for t in mentioned_tables(query)]
    listed = [name for c in columns(query) for name in (c.name, f"{c.table.name}.{c.name}")]
    if not convention.applies(
        question, used, columns=listed, conditions_on=conditions_on, aggregate=aggregate
    ):
        return query, ()
    adds, left_out = convention.adds, list[str]()
    for table in [t for t in mentioned_tables(query) if not convention.when.tables or _named(t, convention)]:
        for text in adds.conditions:
            condition = _condition(text, table, planner, dialect)
            if condition is None and _has_columns(text, table, planner):
                left_out.append(text)
            if condition is not None and condition not in conjuncts(query.where):
                query = replace(query, where=conjunction(query.where, condition))
        if not aggregate:
            query = _selecting(query, adds.select, table, planner)
    if adds.limit is not None and query.limit is None and not aggregate:
        query = replace(query, limit=adds.limit)
    return query, tuple(left_out)


def _has_columns(sql: str, table: TableRef, planner: JoinPlanner) -> bool:
    """True if every column that an expression names is one of the table's."""
    known = {c.name.casefold() for c in planner.schema.table(table.name).columns}
    named = [c.casefold().rpartition(".") for c in columns_of(sql)]
    return all(of in {"", table.name.casefold()} and name in known for of, _, name in named)


def _named(table: TableRef, convention: Convention) -> bool:
    return table.name.casefold() in {t.casefold() for t in convention.when.tables}


def _condition(text: str, table: TableRef, planner: JoinPlanner, dialect: str) -> Condition | None:
    """A condition of a pack as it stands in a query over the table; None where that can't be read."""
    name = exp.to_identifier(table.name, quoted=True).sql(dialect)
    try:
        return parse(f"SELECT 1 FROM {name} WHERE {text}", planner, dialect).where
    except Unrepresentable:
        return None


def _selecting(query: Query, names: tuple[str, ...], table: TableRef, planner: JoinPlanner) -> Query:
    if any(isinstance(e, Star) for e in query.select) or query.compound is not None or query.distinct:
        return query
    known = {c.name.casefold(): c.name for c in planner.schema.table(table.name).columns}
    added = []
    for name in names:
        owner, _, column = name.rpartition(".")
        if column.casefold() in known and owner.casefold() in {"", table.name.casefold()}:
            item = ColumnRef(table, known[column.casefold()])
            if item not in query.select:
                added.append(item)
    return replace(query, select=(*added, *query.select)) if added else query
