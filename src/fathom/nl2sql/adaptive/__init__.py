"""Our own method: spend by difficulty, leave early when sure, never harm a query that was right.

It follows the advice that ends `specs/nl2sqlbench.md`: the offline method first, at no cost; candidates one
at a time, each run at once and its result's shape held against the question; more only where they disagree.
"""

from fathom.methods import Method
from fathom.nl2sql.adaptive.steps import (
    choose_by_signals,
    mend_failed,
    narrow_schema,
    try_offline,
    write_until_sure,
)

ADAPTIVE = Method(
    "adaptive",
    (try_offline, narrow_schema, write_until_sure, mend_failed, choose_by_signals),
    summary="Offline first; where that isn't sure, as few candidates as agree, chosen by several signals.",
    provenance="Fathom, from the advice of NL2SQLBench",
)

__all__ = ["ADAPTIVE"]
