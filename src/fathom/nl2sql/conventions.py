"""Rules that experts follow in every query without saying so, as the BiomedSQL systems are told."""

from fathom.knowledge import KnowledgePack
from fathom.methods import Context

EVIDENCE_COLUMN = "UUID"
ROW_LIMIT = 100
CONVENTIONS_SHOWN_AS = "What counts as significant, and other conventions of the field:"
_BACKTICKS = {"bigquery", "databricks", "mysql", "spark", "sqlite"}
_DOUBLE_QUOTED_TEXT = {"bigquery", "databricks", "mysql", "spark"}


def quote_of(context: Context) -> str:
    """How the database's dialect quotes a table's name, in words."""
    return "backticks" if context.database.dialect in _BACKTICKS else "double quotes"


def apostrophe_of(context: Context) -> str:
    """How its dialect writes a text that holds an apostrophe, in words."""
    if context.database.dialect in _DOUBLE_QUOTED_TEXT:
        return "between double quotes"
    return "with the apostrophe doubled"


def conventions(knowledge: KnowledgePack) -> str:
    """The rules of a pack's conventions, a line each, such as a field's thresholds. Data, to be fenced."""
    return "\n".join(f"- {c.rule}" for c in knowledge.conventions)
