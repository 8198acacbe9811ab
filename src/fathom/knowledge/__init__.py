"""Knowledge packs: what a domain expert knows about a database, as data."""

from fathom.knowledge.checking import Mismatch, check
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
from fathom.knowledge.reading import load_packs, read_pack

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
    "read_pack",
]
