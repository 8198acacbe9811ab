"""Connect to databases, read what they hold, and run queries that only read, within limits."""

from fathom.databases.connecting import connect
from fathom.databases.database import NO_LIMITS, Database
from fathom.databases.stream import Stream

__all__ = ["NO_LIMITS", "Database", "Stream", "connect"]
