"""What restricts a question, said apart from it: the rest is a plain question, whose query is restricted."""

from fathom.offline.asides.apart import Aside, said_apart

__all__ = ["Aside", "said_apart"]
