"""The form of a column in words, with the share of its cells that have it."""

from fathom.forms.formats import format_named
from fathom.records import ColumnProfile

_EPOCHS = {"s": "seconds since 1970", "ms": "milliseconds since 1970"}


def form_in_words(seen: ColumnProfile) -> str:
    """Say how a column's values are written: `date DD/MM/YYYY, 96% of cells`; "" for plain values."""
    parts = [] if seen.format == "plain" else [_named(seen)]
    cells = round(seen.rows_seen * (1 - seen.null_share))
    if parts and seen.unfit and cells:
        parts.append(f"{1 - seen.unfit / cells:.0%} of cells")
    parts += [f"{count:,} {_quoted(text)}" for text, count in seen.placeholders]
    return ", ".join(parts)


def _named(seen: ColumnProfile) -> str:
    pattern = seen.pattern or ""
    match seen.format:
        case "date":
            both = " or ".join(format_named(p) for p in (pattern, seen.other_pattern) if p)
            return f"date {both}"
        case "epoch":
            return _EPOCHS[pattern]
        case "number" | "number_with_unit" | "thousands":
            unit = f" in {pattern}" if pattern else ""
            return f"number{unit}{' with a decimal comma' if seen.comma else ''}"
        case "list":
            return f"list separated by {seen.separator!r}" if seen.separator else f"list ({pattern})"
    return seen.format


def _quoted(text: str) -> str:
    return f"\u201c{text}\u201d" if text.strip() else "empty"
