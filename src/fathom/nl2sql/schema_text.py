"""A schema as prompts show it, in the styles that the published methods use.

All of it is data from outside (names, comments, cells): prompts fence it. Names are quoted only where they
must be, as the database's own dialect does.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from fathom.knowledge import KnowledgePack
from fathom.nl2sql.prompt_cells import prompt_literal
from fathom.nl2sql.quoted_names import quoted
from fathom.nl2sql.selections import keys_between, or_everything
from fathom.records import Column, Schema, Selection, Table

Style = Literal["create", "commented", "lines", "tuples", "meanings", "sentences", "list"]
Samples = Mapping[tuple[str, str], Sequence[object]]
"""Values to show, by (table, column)."""


@dataclass(frozen=True, slots=True)
class ShownSchema:
    """The content of a rendering: the schema, its selected part, values by column, the descriptions of a
    pack, and statistics by column where they are wanted."""

    schema: Schema
    selection: Selection | None = None
    samples: Samples = field(default_factory=dict)
    knowledge: KnowledgePack = field(default_factory=KnowledgePack)
    statistics: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def tables(self) -> list[tuple[Table, list[Column]]]:
        """The selected tables with their selected columns, in the selection's order."""
        chosen = or_everything(self.schema, self.selection).tables
        tables = {t.name: (t, {c.name: c for c in t.columns}) for t in self.schema.tables}
        shown = [(*tables[name], columns) for name, columns in chosen.items() if name in tables]
        return [(table, [held[c] for c in columns if c in held]) for table, held, columns in shown]

    def values(self, table: Table, column: Column) -> str:
        """The sample values of a column, separated by commas; "" without any."""
        return ", ".join(prompt_literal(v) for v in self.samples.get((table.name, column.name), ()))

    def name(self, text: str) -> str:
        """A name as this database's dialect writes it."""
        return quoted(text, self.schema.dialect)


def render(shown: ShownSchema, style: Style = "create") -> str:
    """The schema in one of the styles."""
    return _STYLES[style](shown)


def foreign_keys(shown: ShownSchema) -> str:
    """The keys between the shown tables, an equality a line."""
    lines = []
    for key in keys_between(shown.schema, or_everything(shown.schema, shown.selection)):
        for column, target in zip(key.columns, key.target_columns, strict=True):
            lines.append(
                f"{shown.name(key.table)}.{shown.name(column)} = "
                f"{shown.name(key.target_table)}.{shown.name(target)}"
            )
    return "\n".join(lines)


def meaning(shown: ShownSchema, table: Table, column: Column) -> str:
    """Describe a column from pack and comment: readable name, description, values; or ""."""
    note = shown.knowledge.column(table.name, column.name)
    parts = [column.comment or ""]
    if note is not None:
        named = note.name if note.name.casefold() != column.name.casefold() else ""
        values = "; ".join(f"{v}: {m.meaning}" for v, m in note.values.items())
        parts = [named, note.description, note.unit, note.format, values, note.note, *parts]
    return "; ".join(dict.fromkeys(p.strip() for p in parts if p and p.strip()))


def descriptions(shown: ShownSchema) -> str:
    """A listing of every column that something is known about, a line each."""
    lines = []
    for table, columns in shown.tables():
        for column in columns:
            if known := meaning(shown, table, column):
                lines.append(f"{table.name}.{column.name}: {known}")
    return "\n".join(lines)


def sample_rows(shown: ShownSchema) -> str:
    """The samples as rows, a table after the other, its columns' names first; "" without any."""
    blocks = []
    for table, columns in shown.tables():
        cells = [shown.samples.get((table.name, c.name), ()) for c in columns]
        if rows := [" | ".join(map(prompt_literal, row)) for row in zip(*cells, strict=False)]:
            names = " | ".join(shown.name(c.name) for c in columns)
            blocks.append("\n".join([f"{shown.name(table.name)}:", names, *rows]))
    return "\n\n".join(blocks)


def _create(shown: ShownSchema) -> str:
    return _creates(shown, lambda table, column: "")


def _commented(shown: ShownSchema) -> str:
    def comment(table: Table, column: Column) -> str:
        values, known = shown.values(table, column), meaning(shown, table, column)
        counted = shown.statistics.get((table.name, column.name), "")
        said = " | ".join(s for s in (f"examples: {values}" if values else "", known, counted) if s)
        return " ".join(said.split())

    return _creates(shown, comment)


def _creates(shown: ShownSchema, comment: Callable[[Table, Column], str]) -> str:
    selection = or_everything(shown.schema, shown.selection)
    keys = keys_between(shown.schema, selection)
    statements = []
    for table, columns in shown.tables():
        names = {c.name for c in columns}
        lines = []
        for column in columns:
            null = "" if column.nullable else " NOT NULL"
            lines.append((f"{shown.name(column.name)} {column.type}{null}".strip(), comment(table, column)))
        if table.primary_key and names.issuperset(table.primary_key):
            lines.append((f"PRIMARY KEY ({', '.join(map(shown.name, table.primary_key))})", ""))
        for key in keys:
            if key.table == table.name and names.issuperset(key.columns):
                own, other = (", ".join(map(shown.name, c)) for c in (key.columns, key.target_columns))
                lines.append((f"FOREIGN KEY ({own}) REFERENCES {shown.name(key.target_table)} ({other})", ""))
        body = "\n".join(
            f"  {text}{',' if i < len(lines) - 1 else ''}{f' -- {said}' if said else ''}"
            for i, (text, said) in enumerate(lines)
        )
        statements.append(f"CREATE TABLE {shown.name(table.name)} (\n{body}\n);")
    return "\n\n".join(statements)


def _lines(shown: ShownSchema) -> str:
    """`table(column, ...)`, matched values after their column (C3, PET-SQL, RSL-SQL)."""
    rows = []
    for table, columns in shown.tables():
        listed = []
        for column in columns:
            values = shown.values(table, column)
            listed.append(f"{shown.name(column.name)}{f' ({values})' if values else ''}")
        rows.append(f"{shown.name(table.name)}({', '.join(listed)})")
    return "\n".join(rows)


def _tuples(shown: ShownSchema) -> str:
    """Per table a list of (column, readable name, examples) (MAC-SQL)."""
    blocks = []
    for table, columns in shown.tables():
        rows = []
        for column in columns:
            values = shown.values(table, column)
            examples = f", examples: [{values}]" if values else ""
            rows.append(f"  ({shown.name(column.name)}, {column.name.replace('_', ' ')}{examples})")
        blocks.append(f"Table {shown.name(table.name)}\n[\n" + ",\n".join(rows) + "\n]")
    return "\n".join(blocks)


def _meanings(shown: ShownSchema) -> str:
    """A dictionary of tables, columns and what they mean, as Python writes it (TA-SQL)."""
    found = {
        table.name: {c.name: meaning(shown, table, c) or c.name.replace("_", " ") for c in columns}
        for table, columns in shown.tables()
    }
    blocks = []
    for name, columns_known in found.items():
        rows = [f"    {column!r}: {known!r}," for column, known in columns_known.items()]
        blocks.append("\n".join([f"{name!r}: {{", *rows, "},"]))
    return "\n".join(blocks)


def _sentences(shown: ShownSchema) -> str:
    """A sentence for each column: type, key, whether it may be null, meaning, values (OpenSearch-SQL)."""
    rows = []
    for table, columns in shown.tables():
        for column in columns:
            traits = [column.type or column.kind]
            if column.name in table.primary_key:
                traits.append("primary key")
            if (column.name,) in table.unique:
                traits.append("unique")
            if column.nullable:
                traits.append("may be null")
            known, values = meaning(shown, table, column), shown.values(table, column)
            said = f"{table.name}.{shown.name(column.name)}: {', '.join(traits)}."
            rows.append(said + (f" {known}." if known else "") + (f" Values: {values}." if values else ""))
    return "\n".join(rows)


def _list(shown: ShownSchema) -> str:
    """Tables with their columns, types, keys and descriptions, indented (GSR)."""
    rows = []
    for table, columns in shown.tables():
        rows.append(f"table {shown.name(table.name)}")
        for column in columns:
            key = " [primary key]" if column.name in table.primary_key else ""
            known, values = meaning(shown, table, column), shown.values(table, column)
            said = f"  - {shown.name(column.name)}: {column.type or column.kind}{key}"
            rows.append(said + (f"; {known}" if known else "") + (f"; values: {values}" if values else ""))
    if keys := foreign_keys(shown):
        rows.append("keys between tables")
        rows += [f"  - {key}" for key in keys.splitlines()]
    return "\n".join(rows)


_STYLES: Mapping[Style, Callable[[ShownSchema], str]] = {
    "create": _create,
    "commented": _commented,
    "lines": _lines,
    "tuples": _tuples,
    "meanings": _meanings,
    "sentences": _sentences,
    "list": _list,
}
