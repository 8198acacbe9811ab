"""The message for a request that isn't on a cassette: which one it was, and how the nearest one differs."""

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from rapidfuzz import fuzz

MOST_COMPARED = 2_000
SNIPPET = 60


def describe(request: Mapping[str, Any]) -> str:
    """A request in one line: its model, how it is sampled, and the end of what it asks."""
    text = " ".join(_text(request).split())
    ending = text if len(text) <= 2 * SNIPPET else f"… {text[-2 * SNIPPET :]}"
    sampling = ", ".join(f"{k} {v}" for k, v in request["sampling"].items())
    return f"{request['model']}, sample {request['sample']}{', ' + sampling if sampling else ''}: {ending!r}"


def nearest(request: Mapping[str, Any], recorded: Iterable[Mapping[str, Any]]) -> str:
    """The recorded request most like this one, and where the two differ."""
    text = _text(request)
    best, best_score = None, -1.0
    for other in islice(recorded, MOST_COMPARED):
        same = sum(request.get(k) == other.get(k) for k in ("model", "sampling", "tools", "sample"))
        score = fuzz.ratio(text[-4000:], _text(other)[-4000:]) + same
        if score > best_score:
            best, best_score = other, score
    if best is None:
        return "Nothing is recorded on it."
    return f"The nearest one recorded differs in {'; '.join(_differences(request, best))}."


def _differences(asked: Mapping[str, Any], recorded: Mapping[str, Any]) -> list[str]:
    found = [
        f"{field} (recorded {recorded.get(field)!r}, asked {asked.get(field)!r})"
        for field in ("model", "sampling", "sample")
        if asked.get(field) != recorded.get(field)
    ]
    if asked.get("tools") != recorded.get("tools"):
        found.append("its tools")
    was, now = _text(recorded), _text(asked)
    if was != now:
        at = next(
            (i for i, (a, b) in enumerate(zip(was, now, strict=False)) if a != b), min(len(was), len(now))
        )
        start = max(0, at - SNIPPET // 2)
        found.append(
            f"its words from character {at} (recorded {was[start : at + SNIPPET]!r}, "
            f"asked {now[start : at + SNIPPET]!r})"
        )
    return found or ["the roles of its turns"]


def _text(request: Mapping[str, Any]) -> str:
    return "\n\n".join(m["text"] for m in request["messages"])
