"""Roles that keys are called after: of two keys to one table, the question's words say which is meant."""

from fathom.offline.roles.holders import role_holders
from fathom.offline.roles.players import role_counts, role_players
from fathom.offline.roles.role_filters import in_roles
from fathom.offline.roles.role_joins import with_said_roles
from fathom.offline.roles.role_names import by_keys_own_words

__all__ = ["by_keys_own_words", "in_roles", "role_counts", "role_holders", "role_players", "with_said_roles"]
