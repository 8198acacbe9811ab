"""How closely words are spelt as the values that they are taken for, each level with those before it."""

SPELT = frozenset(("exact", "folded"))
INFLECTED = SPELT | {"stem"}
CODED = INFLECTED | {"code"}
HELD = CODED | {"boolean"}
