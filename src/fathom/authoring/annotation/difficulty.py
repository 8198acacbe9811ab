"""How hard questions are, from people's ratings: ranked, the first 30 % simple, the next 60 % moderate, the
last 10 % challenging (Li et al. 2023)."""

from collections.abc import Mapping, Sequence

SHARES = (("simple", 0.3), ("moderate", 0.6), ("challenging", 0.1))


def ranked(ratings: Mapping[str, Sequence[float]]) -> dict[str, str]:
    """The difficulty of each item from its four ratings, by rank of their mean.

    Where means are equal, which they often are, the higher rating of the query decides, then of the data, of
    the knowledge, of the question, and at last the order in which the items are given.
    """
    order = sorted(ratings, key=lambda name: (sum(ratings[name]), tuple(reversed(ratings[name]))))
    found, start, share = dict[str, str](), 0, 0.0
    for name, part in SHARES:
        share += part
        end = round(share * len(order))
        found |= dict.fromkeys(order[start:end], name)
        start = end
    return {name: found[name] for name in ratings}
