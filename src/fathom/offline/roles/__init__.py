"""Two roles of one table: where a table has two keys to another, the question's words say which is meant."""

from fathom.offline.roles.joining import with_said_roles
from fathom.offline.roles.players import role_counts, role_players
from fathom.offline.roles.restricting import in_roles

__all__ = ["in_roles", "role_counts", "role_players", "with_said_roles"]
