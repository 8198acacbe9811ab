"""The method for a small model on one's own machine: the model reads, the program knows.

    offline's reading -> the model's queries, under the schema's grammar -> repair -> one ranking of both

The offline method links words to tables, columns and values, and gives candidates; the model, shown the
schema first, reads what rules can't. A result that both give is nearly always right, and where they differ
one should doubt.
"""

from fathom.methods import Method
from fathom.nl2sql.local.choosing import choose_by_agreement
from fathom.nl2sql.local.offline_first import ask_offline
from fathom.nl2sql.local.writing import write_queries

LOCAL = Method(
    "local",
    (ask_offline, write_queries, choose_by_agreement),
    summary="For a small model on this machine: its query, mended, beside offline's; sure where they agree.",
    provenance="Fathom",
)

__all__ = ["LOCAL"]
