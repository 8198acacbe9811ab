"""Our own method: spend by difficulty, leave early when sure, never harm a query that was right.

It follows the advice at the end of the NL2SQLBench paper: `offline` first, at no cost; a selection in
two stages; candidates one at a time, each run at once and its result's shape held against the question; more
only where nothing agrees with them; a query that ran and fits gives way to evidence alone.
"""

from fathom.methods import Method
from fathom.nl2sql.adaptive.choosing import choose_by_signals
from fathom.nl2sql.adaptive.first_try import try_offline
from fathom.nl2sql.adaptive.narrowing import narrow_schema, refine_columns
from fathom.nl2sql.adaptive.writing import mend_failed, write_until_sure
from fathom.nl2sql.repair import repair_by_schema

ADAPTIVE = Method(
    "adaptive",
    (
        try_offline,
        narrow_schema,
        refine_columns,
        write_until_sure,
        repair_by_schema,
        mend_failed,
        choose_by_signals,
    ),
    summary="Offline first; where that isn't sure, as few candidates as agree, chosen by several signals.",
    provenance="Fathom, from the advice of NL2SQLBench",
)

__all__ = ["ADAPTIVE"]
