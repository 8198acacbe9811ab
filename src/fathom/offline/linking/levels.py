"""How well words must name a table or column, from 0 to 1, before they are taken for its name.

The linking scores whole names at 1, and words that share no more than a part or a meaning at 0.5 and less.
Mentions begin at `NAMED`, and say two more by themselves: `mention.named` and `mention.whole`.
"""

NAMED = 0.5
"""Named rather than not: enough where a pattern of words around the name says as well what is meant."""

CLEARLY_NAMED = 0.6
"""More than half of a name: where other words of the question may be meant as well."""

SURELY_NAMED = 0.7
"""For what rows have, lack, buy or don't: one wrong name there, and an answer is of all the other rows."""

WHOLLY_NAMED = 0.9
"""By its own name: for words that nothing else around them tells from those of other things."""
