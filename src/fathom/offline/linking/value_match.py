"""How closely words are spelt as the values that they are taken for, each level with those before it."""

SPELT = frozenset(("exact", "folded"))
"""As the value is, but for case, accents, spaces and punctuation."""
INFLECTED = SPELT | {"stem"}
"""In another form of the word too: “singers” for “singer”."""
CODED = INFLECTED | {"code"}
"""By the code that stands for the word too: “female” for F."""
HELD = CODED | {"boolean"}
"""By a flag too: “active” for 1."""
