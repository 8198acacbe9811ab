"""DIN-SQL: link, classify, write by class, correct without running (specs/methods.md, section 3.2)."""

from dataclasses import replace

from fathom.llm import Sampling
from fathom.methods import Context, Method, step
from fathom.nl2sql.prompting import asked, dialect_of, prompt
from fathom.nl2sql.replies import sql_after
from fathom.nl2sql.samples import first_rows
from fathom.nl2sql.schema_text import Shown, descriptions, render
from fathom.nl2sql.selecting import from_items
from fathom.nl2sql.settling import revise, settle
from fathom.records import Draft

GREEDY = Sampling(temperature=0.0, max_tokens=2000)
_PROMPTS = {"EASY": "din_easy", "NON-NESTED": "din_joined", "NESTED": "din_nested"}


@step("selection", calls="1")
async def link_schema(draft: Draft, context: Context) -> Draft:
    """Have the columns, joins and values listed that the question needs; later steps still see everything."""
    reply = await context.metered_model().ask(
        prompt("din_link", question=asked(draft.question), schema=await _schema(context)), sampling=GREEDY
    )
    links = _links(reply.text)
    sides = [side.strip() for link in links for side in link.split("=")]
    selection = from_items(context.database.schema, sides)
    linked = draft.with_findings(links=links)
    return replace(linked, selection=selection if selection.tables else None)


@step("generation", calls="2")
async def classify_and_write(draft: Draft, context: Context) -> Draft:
    """Have the question's difficulty told, then the query written in the way that suits it."""
    links = ", ".join(draft.findings.get("links") or []) or "none"
    model, schema, question = context.metered_model(), await _schema(context), asked(draft.question)
    told = await model.ask(
        prompt("din_classify", question=question, links=links, schema=schema), sampling=GREEDY
    )
    label = _label(told.text)
    values = {"schema": schema, "question": question, "links": links, "dialect": dialect_of(context)}
    if label == "NESTED":
        values["parts"] = told.text
    reply = await model.ask(prompt(_PROMPTS[label], **values), sampling=GREEDY)
    return settle(draft.with_findings(difficulty=label), [sql_after(reply.text, "SQL:")])


@step("revision", calls="1")
async def correct_by_checklist(draft: Draft, context: Context) -> Draft:
    """Have the query gone over by a list of eight usual mistakes, without running it."""
    reply = await context.metered_model().ask(
        prompt(
            "din_correct",
            schema=await _schema(context),
            question=asked(draft.question),
            sql=draft.sql or "",
            dialect=dialect_of(context),
        ),
        sampling=GREEDY,
    )
    return revise(draft, sql_after(reply.text, "SQL:"))


async def _schema(context: Context) -> str:
    """CREATE statements with three sample values a column, and what is known about columns."""
    shown = Shown(context.database.schema, None, await first_rows(context), context.knowledge)
    known = descriptions(shown)
    return render(shown, "commented") + (f"\n\n{known}" if known else "")


def _links(reply: str) -> list[str]:
    """What stands in brackets after the last marker, up to the first that closes; nothing without it."""
    _, found, rest = reply.rpartition("Links:")
    inside = rest.partition("[")[2].partition("]")[0] if found else ""
    return [link.strip() for link in inside.split(",") if link.strip()]


def _label(reply: str) -> str:
    """The class that is named after the last "Label:", looked for in this order; NESTED where none is."""
    said = reply.upper().rpartition("LABEL:")[2]
    return next((label for label in _PROMPTS if label in said), "NESTED")


DIN_SQL = Method(
    "din-sql",
    (link_schema, classify_and_write, correct_by_checklist),
    summary="Linked, classified by difficulty, written in the way of its class, corrected by a checklist.",
    provenance="Pourreza and Rafiei 2023, DIN-SQL",
)
