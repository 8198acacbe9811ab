"""The offline method's reading of a question: asked first, for its candidates and for what it links."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from fathom.methods import Context, find_method, run_method, step
from fathom.nl2sql.selections import united, used_by
from fathom.records import Draft, Selection, Usage

FINDING = "offline"
LIKELY = 0.2
"""How likely a value must be to be told to the model."""
MOST_VALUES = 5


@dataclass(frozen=True, slots=True)
class OfflineReading:
    """The offline method's best query, its others, best first, and how sure it is; `refused` says why it
    would rather decline, `missing` which words nothing accounts for, `unrelated` that no guess is worth it.

    `values` are pairs of a column (`table.column`) and a value in it that the question may name.
    """

    sql: str | None = None
    others: tuple[str, ...] = ()
    confidence: float = 0.0
    refused: str = ""
    missing: tuple[str, ...] = ()
    unrelated: bool = False
    asks_back: bool = False
    values: tuple[tuple[str, Any], ...] = ()

    @property
    def queries(self) -> tuple[str, ...]:
        """All its queries, best first."""
        return (*([self.sql] if self.sql else []), *self.others)

    @property
    def answers(self) -> bool:
        """True if it would answer by itself."""
        return bool(self.sql) and not self.refused and not self.asks_back


@step("selection")
async def ask_offline(draft: Draft, context: Context, *, others: int = 9) -> Draft:
    """Ask the offline method, at no cost: its best query stands for now, and up to `others` are kept beside.

    The selection is what it linked, with all that its queries read.
    """
    found = await run_method(find_method("offline"), draft.question, replace(context, model=None))
    context.meter.add(Usage(database_seconds=found.trace.usage.database_seconds))
    refusal = found.refusal
    linked = found.trace.steps[0].found.get("values", ()) if found.trace.steps else ()
    rest = dict.fromkeys(c.sql for c in found.candidates if c.sql != found.sql)
    reading = OfflineReading(
        found.sql,
        tuple(rest)[:others],
        found.confidence or 0.0,
        refusal.reason if refusal else "",
        refusal.missing if refusal else (),
        bool(refusal and refusal.unrelated),
        bool(found.readings),
        tuple((v["column"], v["value"]) for v in linked if v["probability"] >= LIKELY)[:MOST_VALUES],
    )
    schema = context.database.schema
    read = (used_by(schema, query) for query in reading.queries)
    selection = united(schema, found.selection or Selection({}), *read)
    kept = replace(
        found,
        selection=selection,
        candidates=(),
        readings=(),
        refusal=refusal if found.sql is None and not _has_tables(context) else None,
        findings=draft.findings,
        notes={},
        trace=draft.trace,
    )
    return kept.with_findings(**{FINDING: asdict(reading)})


def _has_tables(context: Context) -> bool:
    """True if the database has tables to ask about."""
    return any(table.columns for table in context.database.schema.tables)


def offline_reading(draft: Draft) -> OfflineReading:
    """Read the finding of `ask_offline`; an empty one where that step isn't part of the method."""
    found = draft.findings.get(FINDING)
    if not isinstance(found, Mapping):
        return OfflineReading()
    as_tuples = {k: tuple(found[k]) for k in ("others", "missing", "values")}
    return OfflineReading(**{**found, **as_tuples})
