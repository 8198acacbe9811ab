"""A knowledge pack: lasting knowledge about a database, as a frozen value."""

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any

from pydantic import Field

from fathom.knowledge.merged import merged_fields
from fathom.knowledge.parts import ColumnNote, Conflict, Convention, JoinHint, Part, TableNote, Term
from fathom.records import SolvedExample


class KnowledgePack(Part):
    """Lasting knowledge about one or more databases.

    `dialect` is the one of the pack's SQL (a sqlglot name). `sources` are the files it came from, and
    `conflicts` where they contradicted each other.
    """

    name: str = ""
    description: str = ""
    dialect: str = ""
    tables: Mapping[str, TableNote] = Field(default_factory=dict)
    glossary: tuple[Term, ...] = ()
    conventions: tuple[Convention, ...] = ()
    joins: tuple[JoinHint, ...] = ()
    examples: tuple[SolvedExample, ...] = ()
    sources: Annotated[tuple[str, ...], Field(exclude=True)] = ()
    conflicts: Annotated[tuple[Conflict, ...], Field(exclude=True)] = ()

    @cached_property
    def _folded(self) -> dict[str, TableNote]:
        return {n.casefold(): t for n, t in self.tables.items()}

    def table(self, name: str) -> TableNote | None:
        """The note on a table, in any case; None without one."""
        return self._folded.get(name.casefold())

    def column(self, table: str, column: str) -> ColumnNote | None:
        """The note on a column, in any case; None without one."""
        note = self.table(table)
        return note.column(column) if note else None

    @cached_property
    def formats(self) -> Mapping[tuple[str, str], str]:
        """The forms of values that the pack gives, by table and column in small letters."""
        return {
            (table.casefold(), column.casefold()): said.format
            for table, note in self.tables.items()
            for column, said in note.columns.items()
            if said.format
        }

    def merge(self, *others: "KnowledgePack") -> "KnowledgePack":
        """This pack with the others on top: later ones win on the same key, lists concatenate."""
        pack = self
        for other in others:
            pack = KnowledgePack(**merged_fields(pack, other))
        return pack


def json_schema() -> dict[str, Any]:
    """The JSON Schema of pack files, for editors that complete and check while one writes."""
    schema = KnowledgePack.model_json_schema()
    for computed in ("sources", "conflicts"):
        schema["properties"].pop(computed)
    schema["$defs"].pop("Conflict")
    schema["properties"]["$schema"] = {"type": "string"}
    _accept_shorthand(schema)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Fathom knowledge pack"} | {
        k: v for k, v in schema.items() if k != "title"
    }


def _accept_shorthand(node: Any) -> None:
    """Let the schema accept one text for a list of texts, numbers for texts, and a meaning by itself."""
    if isinstance(node, list):
        for item in node:
            _accept_shorthand(item)
    if not isinstance(node, dict):
        return
    for key, value in list(node.items()):
        if isinstance(value, dict) and value.get("items") == {"type": "string"}:
            about = {k: value.pop(k) for k in ("title", "description", "default") if k in value}
            node[key] = {"anyOf": [{"type": "string"}, value], **about}
        elif isinstance(value, dict) and value.get("$ref", "").endswith("/ValueMeaning"):
            node[key] = {"anyOf": [{"type": ["string", "number", "boolean"]}, value]}
        else:
            _accept_shorthand(value)
