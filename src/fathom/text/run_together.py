"""Names written as one word, as many databases fold them: `customerid`, `unitprice`, `sbtxprice`."""

from functools import lru_cache

_PARTS = frozenset(
    """
    account address amount available average balance birth body bonus book brand budget building business
    buyer campus capacity card cart category channel city class client close code color comment commission
    company contact contract cost count country course created credit currency current cust customer daily
    date datetime day deliver delivery department deposit description discount district driver due
    duration earn email employee employer end event exchange expense feature fee file first flight freight
    full gender goods grade group height hire hired home hour id image income index industry invoice item
    job join joined label last lead leader length level limit line link list location login manager market
    member merchant method model modified month monthly name net nick no note num number office open order
    original owner page paid parent part partner password patient payment percent person phone picture
    place plan player point portal position post postal price product profit project purchase quantity
    quarter rank rate rating reason receiver record region rental report request required result retail
    return revenue review role room route salary sale sales school score season seat section segment
    seller sender sent series service session ship shipped shop short size source staff start state status
    stock store street student subject supplier supply symbol tax team telephone term territory text
    thread ticker ticket time title total town track trade train transaction transfer travel tx type unit
    units updated url used user value vendor version visit volume wallet week weight width year zip
""".split()
)
_WHOLE = frozenset(
    "birthday classroom filename gradepoint hometown membership nickname postcode postseason".split()
)
"""Words of English that are made of such parts."""
_LONGEST = max(map(len, _PARTS))
_VOWELS = frozenset("aeiouy")
_LEAST = 6
_TELLING = 4
"""Letters of a part that leaves no doubt of what stands ahead of it."""
_PREFIXES = range(2, 5)


@lru_cache(maxsize=20_000)
def taken_apart(word: str) -> tuple[str, ...]:
    """The parts of a word, folded in case, that is several ones run together; else the word alone.

    What stands ahead of them may be short for anything, as `sb` in `sbcustname`, if it has no vowel.
    """
    if len(word) < _LEAST or not word.isalpha() or word in _PARTS | _WHOLE:
        return (word,)
    parts = _parts(word)
    if parts is not None:
        return parts
    for size in _PREFIXES:
        known = _parts(word[size:]) if _VOWELS.isdisjoint(word[:size]) else None
        if known and max(map(len, known)) >= _TELLING:
            return (word[:size], *known)
    return (word,)


@lru_cache(maxsize=20_000)
def _parts(word: str) -> tuple[str, ...] | None:
    """The parts that make up a word, the first ones as long as can be; None where some of it is none."""
    if not word:
        return ()
    for size in range(min(len(word), _LONGEST), 1, -1):
        rest = _parts(word[size:]) if word[:size] in _PARTS else None
        if rest is not None:
            return (word[:size], *rest)
    return None
