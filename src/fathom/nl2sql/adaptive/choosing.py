"""The last step of the adaptive method: which result stands, how sure that is, and when to ask back."""

from dataclasses import replace

from fathom.methods import Context, step
from fathom.nl2sql.adaptive.confidence import calibration
from fathom.nl2sql.adaptive.evidence import choose
from fathom.nl2sql.adaptive.first_try import settled
from fathom.nl2sql.adaptive.writing import weighed
from fathom.nl2sql.candidates import revise
from fathom.records import Candidate, Draft, Reading


@step("revision")
async def choose_by_signals(
    draft: Draft, context: Context, *, asks_back: float = 0.5, close: float = 0.5
) -> Draft:
    """Choose by what runs, fits the question and was found twice over, and say how sure that is.

    Below the confidence `asks_back` it asks back, where another result fits too and is at least `close`
    times as likely.
    """
    if settled(draft) or not draft.candidates:
        return draft
    outcomes, found = await weighed(draft, context)
    candidates = tuple(
        Candidate(c.sql, error=o.error or None) for c, o in zip(draft.candidates, outcomes, strict=True)
    )
    scored = replace(draft, candidates=candidates)
    chosen = choose(found)
    if chosen is None:
        return replace(scored, confidence=0.0)
    sure = calibration().probability(chosen, found)
    rivals = [b for b in found.results if b is not chosen and b.fits]
    rival = max(rivals, key=lambda b: calibration().probability(b, found), default=None)
    readings: tuple[Reading, ...] = ()
    unsure = chosen.fits and sure < asks_back
    if unsure and rival is not None and calibration().probability(rival, found) >= close * sure:
        readings = tuple(Reading("", b.outcome.sql) for b in (chosen, rival))
    return revise(replace(scored, confidence=round(sure, 3), readings=readings), chosen.outcome.sql)
