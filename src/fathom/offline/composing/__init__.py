"""Questions put together from plain ones: "how many more ... than ...", "what share of ... are ...".

Each part is asked as a question of its own, and what was asked for is calculated from their queries.
"""

from fathom.offline.composing.reading import compositions
from fathom.offline.composing.records import Composition

__all__ = ["Composition", "compositions"]
