"""The offline method as steps: link, propose, choose."""

import asyncio
from dataclasses import replace

from fathom.methods import Context, Method, step
from fathom.offline.checking import Checked
from fathom.offline.deciding import UNLEARNED, solved_before
from fathom.offline.describing import describe
from fathom.offline.engine import Engine, engine_for
from fathom.offline.hints import told
from fathom.offline.knowledge import apply_conventions
from fathom.offline.linking import Linking
from fathom.offline.nesting import solve_nested
from fathom.offline.query import Aggregate, expressions
from fathom.offline.ranking.outcomes import Outcome
from fathom.offline.rendering import literal, render
from fathom.offline.solving import Solution, solve
from fathom.offline.stating import stated
from fathom.records import Assumption, Candidate, Draft, Reading, Refusal, Selection

SELECTED = 0.3
SHOWN = 20


def _engine(context: Context) -> Engine:
    return engine_for(context.database, context.knowledge, context.examples, context.cache)


@step("selection")
async def link_question(draft: Draft, context: Context) -> Draft:
    """Tie the question's words to tables, columns and values."""
    return await asyncio.to_thread(_link, draft, context)


def _link(draft: Draft, context: Context) -> Draft:
    if not any(table.columns for table in context.database.schema.tables):
        return replace(draft, confidence=0.0, refusal=Refusal("The database holds no tables to ask about."))
    engine = _engine(context)
    linking = engine.link(engine.in_idiom(draft.question))
    notes = {
        "values": [
            {"text": v.text, "column": ".".join(v.column), "value": v.value, "probability": v.probability}
            for v in linking.values[:10]
        ],
        "not_understood": list(linking.unexplained),
    }
    return replace(draft, selection=_selection(linking), notes=notes)


def _selection(linking: Linking) -> Selection:
    likely: dict[str, list[str]] = {t: [] for t in linking.tables if linking.table_score(t) >= SELECTED}
    for column in linking.columns:
        if max(linking.score(column, role) for role in linking.column_scores) >= SELECTED:
            likely.setdefault(column.table, []).append(column.column)
    return Selection({t: tuple(c) for t, c in likely.items()})


@step("generation")
async def propose_queries(draft: Draft, context: Context) -> Draft:
    """Make candidate queries from likely sketches."""
    return await asyncio.to_thread(_propose, draft, context)


def _propose(draft: Draft, context: Context) -> Draft:
    engine = _engine(context)
    candidates = [
        Candidate(sql, proposal.score) for proposal, sql in engine.written(engine.in_idiom(draft.question))
    ]
    return replace(draft, candidates=tuple(candidates[:SHOWN]))


@step("revision")
async def choose_query(draft: Draft, context: Context, *, confidence: float | None = None) -> Draft:
    """Run the first candidates, choose, and say how sure that is.

    Declines below `confidence` (0 to 1); where that is None, where less than nine in ten answers were right
    when it was calibrated.
    """
    return await asyncio.to_thread(_choose, draft, context, confidence)


def _choose(draft: Draft, context: Context, confidence: float | None) -> Draft:
    engine = _engine(context)
    question = engine.in_idiom(draft.question)
    linking = engine.link(question)
    solved = solve(engine, question)
    if solved is None:
        missing = linking.unexplained
        return replace(draft, confidence=0.0, refusal=Refusal("Nothing in the database fits.", missing))
    choice = solved.verdict.choice
    best = choice.order[0]
    chosen, sql, source = solved.proposals[best].query, solved.sqls[best], solved.proposals[best].source
    result = solved.checked[best].result
    told_apart = source in {"period", "ratio"} or solved_before(solved.proposals[best])
    if not told_apart and (nested := solve_nested(engine, question)) is not None:
        chosen, sql, result, source = nested.query, nested.sql, nested.checked.result, "nested"
        if not _agree(nested.checked, solved.checked[best]):
            choice = replace(choice, confidence=nested.confidence, sure=nested.sure)
    if question is not draft.question and not any(isinstance(e, Aggregate) for e in expressions(chosen)):
        choice = replace(
            choice, sure=False, confidence=min(choice.confidence, UNLEARNED)
        )  # no number of each
    query, assumptions = apply_conventions(chosen, draft.question.text, engine.knowledge, engine.planner)
    if query != chosen:
        sql, result = render(query, engine.planner, engine.database.dialect), None
    sure = choice.sure if confidence is None else choice.confidence >= confidence
    unrelated = _fits_nothing(linking, choice.missing)
    refusal = None if sure else Refusal(_why(choice.missing), choice.missing, unrelated)
    return replace(
        draft,
        candidates=tuple(
            Candidate(solved.sqls[i], choice.scores[i], error=solved.checked[i].error)
            for i in choice.order[:SHOWN]
        ),
        sql=sql,
        result=result if result is not None and result.truncated is None else None,
        confidence=choice.confidence,
        refusal=refusal,
        readings=_readings(engine, solved) if refusal is None and source != "nested" else (),
        assumptions=(
            *draft.assumptions,
            *told(chosen, engine.hints(question).hints),
            *assumptions,
            *(stated(query) if source in {"period", "ratio"} else ()),
            *_values(linking, sql),
        ),
        notes={"tried": sum(c.result is not None for c in solved.checked), "source": source},
    )


def _agree(one: Checked, other: Checked) -> bool:
    """Whether two queries gave the same rows, so that one is as sure as the other."""
    return other.result is not None and Outcome.of(one.result).digest == Outcome.of(other.result).digest


def _fits_nothing(linking: Linking, missing: tuple[str, ...]) -> bool:
    """Whether none of the question's words for things is accounted for: then no query is a guess at it.

    Dates, numbers, and words such as "average" can be asked of anything.
    """
    said = [
        *(d.span for d in linking.dates),
        *(n.span for n in linking.numbers),
        *(q.span for q in linking.quantities),
        *(s.span for s in linking.superlatives),
    ]
    words = {
        token.text
        for place, token in enumerate(linking.tokens)
        if token.kind == "word"
        and not token.stop
        and not token.evidence
        and not any(s.first <= place < s.end for s in said)
    }
    return bool(words) and words <= set(missing)


def _why(missing: tuple[str, ...]) -> str:
    if missing:
        return f"Nothing in the database accounts for {', '.join(f'“{w}”' for w in missing)}."
    return "No reading of the question is likely enough."


def _readings(engine: Engine, solved: Solution) -> tuple[Reading, ...]:
    """The two best readings where they are close and their results differ."""
    verdict = solved.verdict
    if verdict.rival is None:
        return ()
    chosen = (verdict.choice.order[0], verdict.rival)
    return tuple(Reading(describe(solved.proposals[i].query, engine.planner), solved.sqls[i]) for i in chosen)


def _values(linking: Linking, sql: str) -> tuple[Assumption, ...]:
    """What to tell about values that were not found letter by letter."""
    told = []
    for value in linking.values:
        used = all(t in sql for t in (literal(value.value), *value.column))
        if used and value.match not in {"exact", "quoted", "number", "date"}:
            where = f"{value.column.table}.{value.column.column}"
            text = f"“{value.text}” was read as {value.value!r} in {where}."
            told.append(Assumption("value", text, value.match))
    return tuple(dict.fromkeys(told))


OFFLINE = Method(
    "offline",
    (link_question, propose_queries, choose_query),
    summary="No language model: links, fills likely query shapes, ranks, checks, declines when unsure.",
)
