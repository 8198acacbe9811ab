"""Reading files of rows into a DuckDB file: table by table, with names, and remarks on what was left out."""

import os
import shutil
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from fathom.databases.engine import double_quoted, message_of, single_quoted
from fathom.databases.row_files.delimited import EmptyFile, load_delimited
from fathom.databases.row_files.names import family, plain_name, unlike
from fathom.databases.row_files.sources import FileOfRows
from fathom.databases.row_files.structured import load_json, load_parquet
from fathom.errors import ConnectionFailed
from fathom.processes.inside import Channel

_MEMORY = "1GB"
_ROOM = 1.2
"""Free space on the disk, as a share of the files' bytes, without which nothing is begun."""
_NAMELESS = ("sheet", "tabelle", "feuil", "hoja", "foglio", "planilha", "blad", "ark", "lista")
"""Names that spreadsheet programs give a sheet that nobody named, before its number."""
_ORIGIN = "source_file"


@dataclass(slots=True)
class _Read:
    """A table that was read: from which file, called what there, and what was remarked."""

    made: str
    source: FileOfRows
    name: str
    remarks: list[str] = field(default_factory=list)


def serve(channel: Channel) -> None:
    """Read the files that the parent names into a file, and send the remarks, or the error."""
    sources, target = channel.receive()
    try:
        channel.send(convert(sources, target))
    except ConnectionFailed as error:
        channel.send(error)


def convert(sources: Sequence[FileOfRows], target: Path) -> dict[str, tuple[str, ...]]:
    """Read files into tables of a new DuckDB file; gives remarks for people, by table.

    What is about no table stands under "". Raises `ConnectionFailed`.
    """
    needed = int(_ROOM * sum(source.path.stat().st_size for source in sources))
    if shutil.disk_usage(target.parent).free < needed:
        raise ConnectionFailed(
            f"Reading the files takes up to {needed / 1e9:.1f} GB in {target.parent}, which has less left. "
            "Set FATHOM_CACHE to a folder on a larger disk."
        )
    with (
        TemporaryDirectory(dir=target.parent, prefix=".reading-") as scratch,
        closing(_opened(target, scratch)) as connection,
    ):
        read, empty = [], []
        for number, source in enumerate(sources):
            found = list(_tables(connection, source, f"t{number}", Path(scratch)))
            read += found
            if not found:
                empty.append(f"{source.path.name}: there is nothing in it")
        if not read:
            raise ConnectionFailed(f"There are no rows to ask about: {'; '.join(empty)}.")
        remarks = {"": tuple(empty)} if empty else {}
        remarks |= {name: found for name, found in _named(connection, read) if found}
        connection.execute("CHECKPOINT")
        return remarks


def _opened(target: Path, scratch: str) -> duckdb.DuckDBPyConnection:
    return duckdb.connect(
        str(target),
        config={
            "memory_limit": _MEMORY,
            "threads": str(os.cpu_count() or 1),
            "temp_directory": scratch,
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        },
    )


def _tables(
    connection: duckdb.DuckDBPyConnection, source: FileOfRows, made: str, scratch: Path
) -> Iterator[_Read]:
    """Read one file into tables. Raises `ConnectionFailed`."""
    path, name = source.path, plain_name(source.path.stem, "rows")
    try:
        if source.kind == "sheets":
            yield from _sheets(connection, source, made, scratch)
        elif not path.stat().st_size:
            return
        elif source.kind == "delimited":
            yield _Read(made, source, name, load_delimited(connection, path, made, scratch))
        else:
            load = load_json if source.kind == "json" else load_parquet
            yield _Read(made, source, name, load(connection, path, made))
    except EmptyFile:
        return
    except (duckdb.Error, OSError, ValueError) as error:
        why = message_of(error).rstrip(".")
        raise ConnectionFailed(f"{path} can't be read: {why}. {_advice(source)}") from error


def _advice(source: FileOfRows) -> str:
    if source.kind == "sheets":
        return (
            "Open it in a spreadsheet program and save it as .xlsx or .csv; "
            "databases end in .sqlite or .duckdb."
        )
    return f"Is it really {source.path.suffix.removeprefix('.').upper()}?"


def _sheets(
    connection: duckdb.DuckDBPyConnection, source: FileOfRows, made: str, scratch: Path
) -> Iterator[_Read]:
    from fathom.databases.row_files import sheets  # noqa: PLC0415, few files are

    try:
        found = list(sheets.load_sheets(connection, source.path, made, scratch))
    except sheets.READING_FAILS as error:
        raise ValueError(str(error)) from error
    file = plain_name(source.path.stem, "rows")
    for sheet, table, remarks in found:
        nameless = sheet.casefold().rstrip("0123456789 ").strip() in _NAMELESS
        name = file if nameless and len(found) == 1 else plain_name(sheet, file)
        yield _Read(table, source, name, remarks)


def _named(connection: duckdb.DuckDBPyConnection, read: list[_Read]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Give the tables their names, and parts of one table one name; gives the remarks on each table."""
    whole = _parts_together(connection, read)
    wanted = [one.name for one, _ in whole]
    for (one, parts), old, name in zip(whole, wanted, unlike(wanted), strict=True):
        connection.execute(f"ALTER TABLE {one.made} RENAME TO {double_quoted(name)}")
        told = [
            f"{part.source.path.name}{_sheet(part, read)}: {r}"
            for part in parts or [one]
            for r in part.remarks
        ]
        if parts:
            files = ", ".join(part.source.path.name for part in parts[:3])
            more = f" and {len(parts) - 3} more" if len(parts) > 3 else ""
            told.append(f"{files}{more} have the same columns: they are one table, with the column {_ORIGIN}")
        elif old != name:
            told.append(f"{one.source.path.name}: another table is called {old} too; this one is {name}")
        yield name, tuple(told)


def _sheet(one: _Read, read: Sequence[_Read]) -> str:
    several = sum(other.source == one.source for other in read) > 1
    return f", {one.name}" if several else ""


def _parts_together(
    connection: duckdb.DuckDBPyConnection, read: list[_Read]
) -> list[tuple[_Read, list[_Read]]]:
    """The tables, where those with the same columns and a name but for numbers are one of several parts."""
    groups: dict[tuple[str, tuple[str, ...]], list[_Read]] = defaultdict(list)
    for one in read:
        columns = tuple(str(row[0]) for row in connection.execute(f"DESCRIBE {one.made}").fetchall())
        groups[family(one.name), columns].append(one)
    found: list[tuple[_Read, list[_Read]]] = []
    for (name, columns), parts in groups.items():
        if len({part.source.path for part in parts}) < 2 or _ORIGIN in columns:
            found += [(part, []) for part in parts]
            continue
        union = " UNION ALL BY NAME ".join(
            f"SELECT *, {single_quoted(part.source.path.name)} AS {_ORIGIN} FROM {part.made}"
            for part in parts
        )
        made = f"{parts[0].made}_all"
        connection.execute(f"CREATE TABLE {made} AS {union}")
        for part in parts:
            connection.execute(f"DROP TABLE {part.made}")
        found.append((replace(parts[0], made=made, name=name), parts))
    return found
