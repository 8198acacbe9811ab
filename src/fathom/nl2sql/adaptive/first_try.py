"""The offline method as the free first try of the adaptive one, and what it leaves for the next steps."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

from fathom.methods import Context, find_method, run_method, step
from fathom.nl2sql.selections import united, used_by
from fathom.records import Draft, Selection, Usage

OFFLINE = "offline"


@dataclass(frozen=True, slots=True)
class FirstTry:
    """The offline method's result: its best query, its other queries, best first, and its confidence.

    `settles` says that this is the answer, `refused` why it would rather decline ("" where it wouldn't).
    """

    sql: str | None = None
    others: tuple[str, ...] = ()
    confidence: float = 0.0
    refused: str = ""
    settles: bool = False

    @property
    def queries(self) -> tuple[str, ...]:
        """All its queries, best first."""
        return (*([self.sql] if self.sql else []), *self.others)


def first_try(draft: Draft) -> FirstTry:
    """Read the result of `try_offline`; an empty one where that step isn't part of the method."""
    found = draft.findings.get(OFFLINE)
    if not isinstance(found, Mapping):
        return FirstTry()
    return FirstTry(**{**found, "others": tuple(found["others"])})


def settled(draft: Draft) -> bool:
    """True if the offline method has answered the question, so that nothing is left to do."""
    return first_try(draft).settles


@step("selection")
async def try_offline(draft: Draft, context: Context, *, sure: float = 0.9, others: int = 9) -> Draft:
    """Ask the offline method first, at no cost; where it is at least `sure`, its query is the answer.

    Otherwise the next steps get its best guess, `others` that it thought of, and as the selection what it
    linked with all that these queries read.
    """
    found = await run_method(find_method(OFFLINE), draft.question, replace(context, model=None))
    context.meter.add(Usage(database_seconds=found.trace.usage.database_seconds))
    rest = [c.sql for c in found.candidates if c.sql != found.sql]
    tried = FirstTry(
        found.sql,
        tuple(dict.fromkeys(rest))[:others],
        found.confidence or 0.0,
        found.refusal.reason if found.refusal else "",
    )
    if tried.sql and not tried.refused and not found.readings and tried.confidence >= sure:
        answered = replace(found, findings=draft.findings, notes={}, trace=draft.trace)
        return answered.with_findings(offline=_finding(replace(tried, others=(), settles=True)))
    schema = context.database.schema
    read = united(
        schema, found.selection or Selection({}), *(used_by(schema, query) for query in tried.queries)
    )
    return replace(draft, selection=read).with_findings(offline=_finding(tried))


def _finding(tried: FirstTry) -> dict[str, object]:
    return {**asdict(tried), "others": list(tried.others)}
