"""Parts of the reductions: totals, distributions, and examples that say how many they stand for."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

Json = Any
Reduction = Callable[[Json], Json]


def sample(items: Sequence[Json], most: int, reduce: Reduction = lambda item: item) -> dict[str, Json]:
    """The first items, reduced, with how many there are and how many are shown."""
    shown = [reduce(item) for item in items[:most]]
    return {"total": len(items), "shown": len(shown), "examples": shown}


def spread(values: Iterable[Json], most: int = 10) -> dict[str, Json]:
    """How often each value comes, the commonest first; the rest is summed up, never dropped."""
    counts = Counter(str(v) for v in values if v is not None)
    told: dict[str, Json] = dict(counts.most_common(most))
    if len(counts) > most:
        told["(others)"] = sum(counts.values()) - sum(told.values())
    return told


def span(values: Iterable[float]) -> dict[str, float] | None:
    """Least, mean and most, or None of nothing."""
    held = list(values)
    if not held:
        return None
    return {"least": min(held), "mean": round(sum(held) / len(held), 3), "most": max(held)}


def keep(item: Mapping[str, Json], *names: str) -> dict[str, Json]:
    """Those fields of a record that are there."""
    return {name: item[name] for name in names if item.get(name) not in (None, "", [], {})}


def at(item: Json, *steps: str | int) -> Json:
    """Follow a path of keys and positions; None where it ends."""
    for step in steps:
        try:
            item = item[step]
        except (KeyError, IndexError, TypeError):
            return None
    return item


def short(text: str, most: int) -> str:
    """A text, cut at a word with how much is left out."""
    if len(text) <= most:
        return text
    kept = text[:most].rsplit(" ", 1)[0]
    return f"{kept} … ({len(text) - len(kept)} more characters)"


def pruned(item: Json) -> Json:
    """The same without empty fields."""
    if isinstance(item, dict):
        held = {k: pruned(v) for k, v in item.items()}
        return {k: v for k, v in held.items() if v not in (None, "", [], {})}
    return [pruned(v) for v in item] if isinstance(item, list) else item
