"""Keys stay secret: what comes from a provider, and what goes to a file, passes through `redact`."""

import os
import re
from functools import lru_cache

from fathom.text import without_passwords

SHORTEST_KEY = 16
"""Characters; what is shorter, such as a local server's "none", is no secret and may be an ordinary word."""

REDACTED = "[key removed]"
_KEY_VARIABLE = re.compile(
    r"(?:API_?KEY|MODEL_KEY|SECRET_ACCESS_KEY|ACCESS_KEY_ID|SESSION_TOKEN|API_TOKEN|AUTH_TOKEN|BEARER_TOKEN\w*)$"
)
_HEADER = re.compile(
    r"(?i)\b(bearer|x-api-key['\"]?:?|api-key['\"]?:?|authorization['\"]?:?)\s+['\"]?[\w.~+/=*-]{8,}"
)
_used: set[str] = set()


def is_key_variable(name: str) -> bool:
    """True if a variable of that name holds a key."""
    return _KEY_VARIABLE.search(name) is not None


def remember_key(value: str) -> None:
    """Take note of a key that is in use under a variable of any name."""
    if len(value) >= SHORTEST_KEY:
        _used.add(value)


def redact(text: str) -> str:
    """The text without any of the keys in the environment or in use."""
    held = {v for n, v in os.environ.items() if len(v) >= SHORTEST_KEY and is_key_variable(n)}
    found = _pattern(frozenset(held | _used))
    return found.sub(REDACTED, text) if found else text


def redact_error(text: str) -> str:
    """The text of an error without keys, nor anything that looks like a credential."""
    return without_passwords(_HEADER.sub(rf"\1 {REDACTED}", redact(text)))


@lru_cache(maxsize=8)
def _pattern(keys: frozenset[str]) -> re.Pattern[str] | None:
    """One pattern for all, the longest first, so that no part of a key is left behind."""
    if not keys:
        return None
    return re.compile("|".join(re.escape(k) for k in sorted(keys, key=len, reverse=True)))
