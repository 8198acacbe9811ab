"""Files of delimited lines, CSV and TSV: their separator, header and types, and the lines that don't fit."""

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import duckdb

from fathom.databases.engine import single_quoted
from fathom.databases.row_files.column_types import Types, types_of
from fathom.databases.row_files.names import column_names
from fathom.databases.row_files.texts import FALLBACK, encoding_of, in_utf8, sample_of
from fathom.errors import FathomError

_SEPARATORS = (",", ";", "\t", "|")
_LOOKED_AT = 300
"""Lines by which separator and header are told."""
_LONGEST_LINE = 16 << 20
_LONGEST_CELL = 1 << 27
_NUMBER = re.compile(r"\s*[+-]?[\d.,]*\d[\d.,]*%?\s*")
_YEAR = re.compile(r"(19|20)\d\d")
_DAY = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}.*")


class EmptyFile(FathomError):
    """There is no line in it."""


@dataclass(frozen=True, slots=True)
class DelimitedLayout:
    """The way of a file's lines: `skip` so many before the first row, whose columns have these names."""

    separator: str
    skip: int
    columns: tuple[str, ...]
    remarks: tuple[str, ...] = ()


def load_delimited(connection: duckdb.DuckDBPyConnection, path: Path, table: str, scratch: Path) -> list[str]:
    """Read a file into a new table; gives the remarks on it.

    Raises `EmptyFile`, `duckdb.Error`, `OSError`.
    """
    encoding = encoding_of(path)
    if encoding in ("utf-8", "utf-8-sig"):
        try:
            return _loaded(connection, path, table, scratch)
        except UnicodeError:  # further on
            encoding = FALLBACK
    remark = f"it isn't UTF-8, and was read as {encoding}"
    return [remark, *_loaded(connection, in_utf8(path, encoding, scratch), table, scratch)]


def _loaded(connection: duckdb.DuckDBPyConnection, path: Path, table: str, scratch: Path) -> list[str]:
    layout = layout_of(path, scratch)
    names = list(layout.columns)
    sample = sample_of(path, scratch)
    texts = Types(("VARCHAR",) * len(names))
    connection.execute(f"CREATE TEMP TABLE looked_at AS {_read(sample, layout, texts)}")
    _forget_rejects(connection)
    found = types_of(connection, "looked_at", names)
    connection.execute("DROP TABLE looked_at")
    while True:
        connection.execute(f"CREATE TABLE {table} AS {_read(path, layout, found)}")
        misfits = connection.execute(_MISFITS).fetchall()
        bad = connection.execute(_BAD).fetchall()
        _forget_rejects(connection)
        if any(kind == "INVALID ENCODING" for kind, _ in misfits):
            connection.execute(f"DROP TABLE {table}")
            raise UnicodeError
        unfit = {column for kind, column in misfits if kind == "CAST"}
        if not unfit:
            return [*layout.remarks, *_told(bad)]
        # Further on stands what the sample had nothing of: the whole column stays text.
        connection.execute(f"DROP TABLE {table}")
        kept = ("VARCHAR" if n in unfit else t for n, t in zip(names, found.of, strict=True))
        found = replace(found, of=tuple(kept))


# A line without all its cells may have one in the place of another: that tells nothing of a column's type.
_MISFITS = """SELECT DISTINCT error_type::VARCHAR, column_name FROM reject_errors
WHERE error_type <> 'CAST' OR line NOT IN (SELECT line FROM reject_errors WHERE error_type <> 'CAST')"""
_BAD = "SELECT DISTINCT line FROM reject_errors ORDER BY line"


def _forget_rejects(connection: duckdb.DuckDBPyConnection) -> None:
    connection.execute("DROP TABLE IF EXISTS reject_errors; DROP TABLE IF EXISTS reject_scans")


def _told(bad: Sequence[tuple[int]]) -> list[str]:
    if not bad:
        return []
    numbers = ", ".join(str(line) for (line,) in bad[:5]) + (", ..." if len(bad) > 5 else "")
    many = "1 line that doesn't" if len(bad) == 1 else f"{len(bad)} lines that don't"
    return [f"{many} fit the others: left out (line {numbers})"]


def _read(path: Path, layout: DelimitedLayout, types: Types) -> str:
    kinds = zip(map(single_quoted, layout.columns), types.of, strict=True)
    columns = ", ".join(f"{name}: '{kind}'" for name, kind in kinds)
    return (
        f"SELECT * FROM read_csv({single_quoted(str(path))}, auto_detect = false,"
        f" delim = {single_quoted(layout.separator)},"
        f" quote = '\"', escape = '\"', header = false, skip = {layout.skip}, columns = {{{columns}}},"
        f" decimal_separator = {single_quoted(types.decimal)}, store_rejects = true, rejects_limit = 0,"
        f" max_line_size = {_LONGEST_LINE}, nullstr = '')"
    )


def layout_of(path: Path, scratch: Path) -> DelimitedLayout:
    """The layout of a file by its first lines. Raises `EmptyFile`."""
    csv.field_size_limit(_LONGEST_CELL)
    tried = [_rows(path, s) for s in ("\t",)] if path.suffix.casefold() in (".tsv", ".tab") else [
        _rows(path, s) for s in _SEPARATORS
    ]  # fmt: skip
    best = max(tried, key=lambda rows: rows.worth)
    if not best.rows:
        raise EmptyFile
    width = best.width
    start = next(i for i, (_, row) in enumerate(best.rows) if len(row) == width)
    first = best.rows[start][1]
    following = [row for _, row in best.rows[start + 1 :] if len(row) == width]
    header = first if is_header(first, following) else None
    names, remarks = column_names(header, width)
    if header is None:
        remarks = [f"it has no header: its columns are {names[0]} to {names[-1]}"]
    ended = best.rows[start][0]
    skip = ended if header is not None else (best.rows[start - 1][0] if start else 0)
    if start:
        remarks.append(f"{start} line{'s' * (start > 1)} above the header left out")
    return DelimitedLayout(best.separator, skip, tuple(names), tuple(remarks))


@dataclass(frozen=True, slots=True)
class _SampledRows:
    """The first rows of a file by one separator, each with the number of the line that it ends in."""

    separator: str
    rows: list[tuple[int, list[str]]]

    @property
    def width(self) -> int:
        return Counter(len(row) for _, row in self.rows).most_common(1)[0][0]

    @property
    def worth(self) -> tuple[float, int]:
        """How well the separator fits: the share of lines of one width, which divides the line at all."""
        if not self.rows or self.width == 1:
            return 0.0, 0
        return sum(len(row) == self.width for _, row in self.rows) / len(self.rows), self.width


def _rows(path: Path, separator: str) -> _SampledRows:
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as stream:
        reader = csv.reader(stream, delimiter=separator)
        rows = ((reader.line_num, row) for row in reader)
        return _SampledRows(
            separator, list(islice(((n, r) for n, r in rows if any(map(str.strip, r))), _LOOKED_AT))
        )


def is_header(first: Sequence[str], following: Sequence[Sequence[str]]) -> bool:
    """True if a first row names columns: words that differ, or years, where rows follow that are otherwise.

    A row of words alone is taken as a header, as files of rows mostly have one.
    """
    cells = [cell.strip() for cell in first]
    if not any(cells):
        return False
    plain = [c for c in cells if c and not _YEAR.fullmatch(c)]
    if not plain and len(cells) > 1:
        return False
    return not any(_NUMBER.fullmatch(c) or _DAY.fullmatch(c) for c in plain)
