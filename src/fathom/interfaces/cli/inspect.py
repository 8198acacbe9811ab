"""`fathom inspect`: what a database holds."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from rich.table import Table as Grid

from fathom.answering import cell_as_json
from fathom.databases import Database, connect
from fathom.forms.evidence import form_in_words
from fathom.interfaces.cli.display import bare_table, console, notices, plain, print_json
from fathom.interfaces.cli.options import ANYBODY, AsUser, DatabaseName, Strict
from fathom.records import ColumnProfile, ForeignKey, Table, TableProfile, shown_value

MOST_COMMON = 4


def inspect(
    database: DatabaseName,
    /,
    *,
    table: tuple[str, ...] = (),
    seconds: float = 20.0,
    schema_only: bool = False,
    json: bool = False,
    strict: Strict = False,
    asker: AsUser = ANYBODY,
) -> None:
    """Show the tables, columns, keys and values of a database, and its declared and inferred joins.

    Parameters
    ----------
    table
        Show only this table; you can repeat this option.
    seconds
        Look at values for at most this many seconds; large tables are sampled.
    schema_only
        Don't look at values.
    json
        Print one JSON object: the tables with their columns and profiles, and the joins.
    """
    with connect(database, strict=strict or None, rights=asker.rights, user=asker.user) as opened:
        tables = tuple(opened.schema.table(name) for name in table) or opened.schema.tables
        profiles = {} if schema_only else _profiles(opened, seconds)
        joins = _joins(opened.schema.foreign_keys, tables)
        if json:
            print_json(_as_json(opened, tables, profiles, joins))
        else:
            _show(opened, tables, profiles, joins)


def _profiles(database: Database, seconds: float) -> Mapping[str, TableProfile]:
    with notices.status("Looking at the values ..."):
        return database.profile(seconds)


def _joins(keys: tuple[ForeignKey, ...], tables: tuple[Table, ...]) -> list[ForeignKey]:
    names = {t.name for t in tables}
    return [k for k in keys if k.table in names or k.target_table in names]


def _show(
    database: Database,
    tables: tuple[Table, ...],
    profiles: Mapping[str, TableProfile],
    joins: list[ForeignKey],
) -> None:
    count = "1 table" if len(tables) == 1 else f"{len(tables)} tables"
    console.print(plain(f"{database.name}: {count} ({database.dialect})"), style="bold")
    if not tables:
        console.print("There is nothing to ask: the database holds no tables.")
    for table in tables:
        console.print()
        show_table(table, profiles.get(table.name))
    told = [text for texts in database.remarks.values() for text in texts]
    if told:
        console.print("\nFiles", style="bold")
    for text in told:
        console.print(plain(f"  {text}"))
    if joins:
        console.print("\nJoins", style="bold")
    for key in joins:
        console.print(plain(f"  {_join(key)}"))


def show_table(table: Table, profile: TableProfile | None) -> None:
    """One table: its name, its columns, and what they hold as far as that was looked at."""
    console.print(plain(_title(table)), style="bold")
    if table.comment:
        console.print(plain(table.comment), style="dim")
    console.print(_grid(table, profile))


def _title(table: Table) -> str:
    kind = "view" if table.is_view else "table"
    if table.row_count is None:
        return f"{table.name} ({kind})"
    if not table.row_count:
        return f"{table.name} ({kind}, empty)"
    about = "about " if table.rows_estimated else ""
    return f"{table.name} ({kind}, {about}{table.row_count:,} rows)"


def _grid(table: Table, profile: TableProfile | None) -> Grid:
    grid = bare_table()
    for heading in ("column", "type", "key", "missing", "different", "values"):
        number, name = heading in {"missing", "different"}, heading == "column"
        # A name broken in two can't be copied, nor told from two names.
        grid.add_column(heading, overflow="fold", no_wrap=name, justify="right" if number else "left")
    for column in table.columns:
        seen = profile.columns.get(column.name) if profile else None
        key = "primary" if column.name in table.primary_key else ""
        cells = [column.name, column.type, key, *_of_values(seen)]
        grid.add_row(*map(plain, cells))
    return grid


def _of_values(seen: ColumnProfile | None) -> tuple[str, str, str]:
    if seen is None:
        return "", "", ""
    different = "" if seen.distinct is None else f"{'' if seen.exact else '~'}{seen.distinct:,}"
    return f"{seen.null_share:.0%}" if seen.null_share else "", different, _summary(seen)


def _summary(seen: ColumnProfile) -> str:
    shown = [shown_value(v)[:40] for v, _ in seen.common[:MOST_COMMON]]
    if seen.minimum is not None and not isinstance(seen.minimum, str):
        told = f"{shown_value(seen.minimum)} to {shown_value(seen.maximum)}"
    else:
        told = ", ".join(shown or [shown_value(v)[:40] for v in seen.samples[:MOST_COMMON]])
    form = form_in_words(seen)
    return f"{told} [{form}]" if form else told


def _join(key: ForeignKey) -> str:
    left = ", ".join(f"{key.table}.{c}" for c in key.columns)
    right = ", ".join(f"{key.target_table}.{c}" for c in key.target_columns)
    return f"{left} → {right}" + (f"  (inferred, confidence {key.confidence:.2f})" if key.inferred else "")


def _as_json(
    database: Database,
    tables: tuple[Table, ...],
    profiles: Mapping[str, TableProfile],
    joins: list[ForeignKey],
) -> dict[str, Any]:
    def column(table: Table, name: str) -> Any:
        seen = profiles[table.name].columns.get(name) if table.name in profiles else None
        return {k: cell_as_json(v) for k, v in asdict(seen).items()} if seen else None

    return {
        "name": database.name,
        "dialect": database.dialect,
        "fingerprint": database.fingerprint,
        "tables": [
            {
                **asdict(table),
                "columns": [{**asdict(c), "profile": column(table, c.name)} for c in table.columns],
            }
            for table in tables
        ],
        "remarks": {table: list(texts) for table, texts in database.remarks.items()},
        "joins": [asdict(key) for key in joins],
    }
