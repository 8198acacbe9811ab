"""Description files as BIRD ships them: one CSV a table, one row a column, values described in free text."""

import csv
import io
from pathlib import Path

from fathom.errors import InputError
from fathom.knowledge.pack import KnowledgePack
from fathom.knowledge.parts import ColumnNote, TableNote
from fathom.knowledge.values import value_meanings


def read(text: str, file: Path) -> KnowledgePack:
    """The pack in a description file; the table is the file's name."""
    rows = csv.DictReader(io.StringIO(text, newline=""))
    header = [(name or "").strip() for name in rows.fieldnames or ()]
    if "original_column_name" not in header:
        raise InputError(
            "a description file needs the columns original_column_name, column_name, column_description, "
            "data_format and value_description",
            file=file,
            line=1,
        )
    rows.fieldnames = header
    columns: dict[str, ColumnNote] = {}
    try:
        for row in rows:
            cells = {k: (v or "").strip() for k, v in row.items() if k and isinstance(v, str | None)}
            if name := cells.get("original_column_name"):
                columns[name] = _column(name, cells)
    except csv.Error as error:
        raise InputError(f"not valid CSV: {error}", file=file, line=rows.line_num) from None
    return KnowledgePack(
        name=file.parent.name, tables={file.stem: TableNote(columns=columns)}, sources=(str(file),)
    )


def _column(original: str, cells: dict[str, str]) -> ColumnNote:
    name = cells.get("column_name", "")
    about_values = cells.get("value_description", "")
    return ColumnNote(
        name=name if name.casefold() != original.casefold() else "",
        description=cells.get("column_description", ""),
        values=value_meanings(about_values),
        note=about_values,
    )
