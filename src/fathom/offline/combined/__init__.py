"""Questions put together from plain ones: "how many more ... than ...", "what share of ... are ...".

Each part is asked as a question of its own, and what was asked for is calculated from their queries.
"""

from fathom.offline.combined.records import Composition
from fathom.offline.combined.rules import COMBINING, CombiningReading, compositions

__all__ = ["COMBINING", "CombiningReading", "Composition", "compositions"]
