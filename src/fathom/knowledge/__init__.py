"""Knowledge packs: what a domain expert knows about a database, as data."""

from typing import TYPE_CHECKING, Any

from fathom.knowledge.beforehand import packs_beforehand
from fathom.knowledge.mismatches import Mismatch, check
from fathom.knowledge.pack import KnowledgePack, json_schema
from fathom.knowledge.parts import (
    Adds,
    ColumnNote,
    Conflict,
    Convention,
    JoinHint,
    TableNote,
    Term,
    ValueMeaning,
    When,
)
from fathom.knowledge.phrases import find, holds_any

if TYPE_CHECKING:
    from fathom.knowledge.pack_files import load_packs, read_pack

__all__ = [
    "Adds",
    "ColumnNote",
    "Conflict",
    "Convention",
    "JoinHint",
    "KnowledgePack",
    "Mismatch",
    "TableNote",
    "Term",
    "ValueMeaning",
    "When",
    "check",
    "find",
    "holds_any",
    "json_schema",
    "load_packs",
    "packs_beforehand",
    "read_pack",
]

_READING = ("load_packs", "read_pack")


def __getattr__(name: str) -> Any:
    """Import the reader of packs on demand: it needs YAML, and most databases have no pack."""
    if name not in _READING:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from fathom.knowledge import pack_files

    return getattr(pack_files, name)
