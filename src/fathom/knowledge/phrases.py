"""Find words and phrases in a question, as whole words, in any case."""

import re
from collections.abc import Iterable
from functools import lru_cache


@lru_cache(maxsize=4096)
def _pattern(phrase: str) -> re.Pattern[str]:
    words = [w for w in re.split(r"[\s-]+", phrase.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")) if w]
    words = [re.escape(w) for w in words or [phrase]]
    return re.compile(r"(?<!\w)" + r"[\s-]+".join(words) + r"(?!\w)", re.IGNORECASE)


def find(text: str, phrase: str) -> tuple[int, int] | None:
    """Where a phrase stands in a text, as (start, end); words may be parted by spaces or hyphens."""
    found = _pattern(phrase).search(text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))
    return found.span() if found else None


def holds_any(text: str, phrases: Iterable[str]) -> bool:
    """True if a text holds one of the phrases."""
    return any(find(text, p) for p in phrases)
