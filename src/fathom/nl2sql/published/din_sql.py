"""DIN-SQL: link, classify, write by class, correct without running (Pourreza and Rafiei 2023)."""

from dataclasses import replace

from fathom.llm import Sampling
from fathom.methods import Context, Method, step
from fathom.nl2sql.candidates import NO_SQL, revise, settle
from fathom.nl2sql.prompting import asked, dialect_of, prompt
from fathom.nl2sql.replies import sql_after
from fathom.nl2sql.samples import first_rows
from fathom.nl2sql.schema_text import ShownSchema, descriptions, render, sample_rows
from fathom.nl2sql.selections import from_items
from fathom.records import Draft, Refusal

GREEDY = Sampling(temperature=0.0, max_tokens=2000)
_PROMPTS = {"EASY": "din_easy", "NON-NESTED": "din_joined", "NESTED": "din_nested"}


GLUED = {"glues_lines": "line breaks of a reply's query are deleted, which may glue words together"}


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


LABELLED = {"needs_label": "a question that isn't classed as easy, joined or nested is left without a query"}


@step("generation", calls="1-2", quirks={**GLUED, **LABELLED})
async def classify_and_write(
    draft: Draft,
    context: Context,
    *,
    intermediate: bool = False,
    glues_lines: bool = False,
    needs_label: bool = False,
) -> Draft:
    """Have the question's difficulty told, then the query written in the way that suits it.

    `intermediate` has the two harder classes write a form without FROM and joins first, like NatSQL, as the
    authors do for Spider but not for BIRD.
    """
    links = ", ".join(draft.findings.get("links") or []) or "none"
    model, schema, question = context.metered_model(), await _schema(context), asked(draft.question)
    told = await model.ask(
        prompt("din_classify", question=question, links=links, schema=schema), sampling=GREEDY
    )
    if (label := _label(told.text)) is None and needs_label:
        return replace(draft, sql=None, refusal=Refusal(NO_SQL))
    label = label or "NESTED"
    values = {"schema": schema, "question": question, "links": links, "dialect": dialect_of(context)}
    if label == "NESTED":
        values["parts"] = _parts(told.text)
    name = _PROMPTS[label] + ("_natsql" if intermediate and label != "EASY" else "")
    reply = await model.ask(prompt(name, **values), sampling=GREEDY)
    return settle(draft.with_findings(difficulty=label), [_query(reply.text, glued=glues_lines)])


@step("revision", calls="1", quirks=GLUED)
async def correct_by_checklist(draft: Draft, context: Context, *, glues_lines: bool = False) -> Draft:
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
    return revise(draft, _query(reply.text, glued=glues_lines))


async def _schema(context: Context) -> str:
    """CREATE statements, three rows of each table, and what is known about columns."""
    shown = ShownSchema(context.database.schema, None, await first_rows(context), context.knowledge)
    return "\n\n".join(part for part in (render(shown), sample_rows(shown), descriptions(shown)) if part)


def _query(reply: str, *, glued: bool) -> str | None:
    sql = sql_after(reply, "SQL:")
    return "".join(sql.splitlines()) if sql and glued else sql


def _links(reply: str) -> list[str]:
    """Read the items in brackets after the last marker, up to the first that closes; none without it."""
    _, found, rest = reply.rpartition("Links:")
    inside = rest.partition("[")[2].partition("]")[0] if found else ""
    return [link.strip() for link in inside.split(",") if link.strip()]


def _label(reply: str) -> str | None:
    """The class named after the last "Label:", or in quotes where there is none; None without either."""
    _, marked, said = reply.upper().rpartition("LABEL:")
    wanted = (label if marked else f'"{label}"' for label in _PROMPTS)
    return next((w.strip('"') for w in wanted if w in said), None)


def _parts(reply: str) -> str:
    """Read the text after the last "Sub-questions:", up to the label; the whole reply without that mark."""
    said = reply.rpartition("Sub-questions:")[2].rpartition("Label:")[0].strip()
    return said or reply


DIN_SQL = Method(
    "din-sql",
    (link_schema, classify_and_write, correct_by_checklist),
    summary="Linked, classified by difficulty, written in the way of its class, corrected by a checklist.",
    provenance="Pourreza and Rafiei 2023, DIN-SQL",
)
