import asyncio
from dataclasses import replace

from fathom.llm import ScriptedModel
from fathom.methods import Context, find_method, run_method
from fathom.nl2sql.published.dail_sql import DAIL_SQL, continue_after_pairs
from fathom.records import Draft, Question, SolvedExample

QUESTION = Question("Which gene is the longest?", evidence="longest refers to MAX(length)")
COUNT = SolvedExample("Which tower is the highest?", "SELECT COUNT(*) FROM tower")
ORDERED = SolvedExample("Name all the rivers.", "SELECT name FROM river ORDER BY size DESC LIMIT 1")
LONG = SolvedExample("Which is it?", "SELECT " + ", ".join(f"column_{i}" for i in range(2000)) + " FROM t")
RIGHT = "symbol FROM gene ORDER BY length DESC LIMIT 1"


def run(context: Context, model: ScriptedModel, name: str = "dail-sql") -> Draft:
    return asyncio.run(run_method(find_method(name), QUESTION, replace(context, model=model)))


def test_two_passes_the_second_by_the_shape_of_the_first(context: Context) -> None:
    known = replace(context, examples=(COUNT, ORDERED))
    model = ScriptedModel.of(RIGHT, f"SELECT {RIGHT};")
    draft = run(known, model)
    assert draft.sql == f"SELECT {RIGHT}"
    assert draft.trace.usage.calls == 2
    first, second = model.prompts
    assert first.index(COUNT.sql) < first.index(ORDERED.sql)
    assert second.index(ORDERED.sql) < second.index(COUNT.sql)
    for part in ("CREATE TABLE gene", QUESTION.text, QUESTION.evidence):
        assert part in second
    assert second.rstrip().endswith("SELECT")
    for request in model.script.requests:
        assert (request.sampling.temperature, request.sampling.max_tokens) == (0, 200)


def test_examples_that_do_not_fit_are_passed_over(context: Context) -> None:
    model = ScriptedModel.of(RIGHT, RIGHT)
    run(replace(context, examples=(LONG, COUNT, ORDERED)), model)
    assert COUNT.sql in model.prompts[0]
    assert "column_1999" not in model.prompts[0]


def test_it_works_without_examples_and_with_no_more_than_k(context: Context) -> None:
    model = ScriptedModel.of(*[RIGHT] * 4)
    assert run(context, model).sql == f"SELECT {RIGHT}"
    assert "Solved questions" not in model.prompts[0]
    one = replace(DAIL_SQL, steps=(continue_after_pairs.using(k=1),))
    known = replace(context, examples=(COUNT, ORDERED), model=model)
    asyncio.run(run_method(one, QUESTION, known))
    assert (COUNT.sql in model.prompts[2]) + (ORDERED.sql in model.prompts[2]) == 1


def test_self_consistency_keeps_the_commonest_result(context: Context) -> None:
    wrong, other = "symbol FROM gene WHERE id = 1", "symbol FROM gene WHERE length > 100000"
    model = ScriptedModel.of(wrong, wrong, "nme FROM gene", RIGHT, "I can't say.", other)
    draft = run(context, model, "dail-sql-sc")
    assert draft.trace.usage.calls == 6
    assert [c.sql.removeprefix("SELECT ") for c in draft.candidates] == [wrong, "nme FROM gene", RIGHT, other]
    assert [c.score for c in draft.candidates] == [1, 0, 2, 2]
    assert draft.sql == f"SELECT {RIGHT}"
    assert model.script.requests[-1].sampling.temperature == 1


def test_where_all_candidates_fail_the_first_stays(context: Context) -> None:
    model = ScriptedModel.of("a FROM gene", *[f"x{i} FROM gene" for i in range(5)])
    assert run(context, model, "dail-sql-sc").sql == "SELECT x0 FROM gene"


def test_bad_replies_leave_the_preliminary_query_or_a_refusal(context: Context) -> None:
    assert run(context, ScriptedModel.of(RIGHT, "I can't say.")).sql == f"SELECT {RIGHT}"
    assert run(context, ScriptedModel.of("I can't say.", RIGHT)).sql == f"SELECT {RIGHT}"
    refused = run(context, ScriptedModel.of("I can't say.", ""))
    assert refused.sql is None
    assert refused.refusal is not None


def test_the_vote_looks_past_distinct_as_in_c3(context: Context) -> None:
    plain, distinct = "action FROM target", "DISTINCT action FROM target"
    model = ScriptedModel.of(RIGHT, "symbol FROM gene", distinct, plain, "name FROM drug", "id FROM gene")
    draft = run(context, model, "dail-sql-sc")
    assert draft.sql == f"SELECT {distinct}"


def test_five_are_drawn_and_voted_on_only_when_switched_on(context: Context) -> None:
    wrong = "symbol FROM gene WHERE id = 1"
    replies = (wrong, wrong, RIGHT, RIGHT, wrong, RIGHT)
    model = ScriptedModel.of(*replies)
    draft = run(context, model, "dail-sql+votes_anyway")
    assert draft.sql == f"SELECT {RIGHT}"
    assert draft.trace.usage.calls == 6
    assert {r.sampling.temperature for r in model.script.requests} == {0}
    plain = run(context, ScriptedModel.of(*replies))
    assert (plain.sql, plain.trace.usage.calls) == (f"SELECT {wrong}", 2)


def test_a_prompt_that_is_too_long_is_not_sent_only_when_switched_on(context: Context) -> None:
    for name, sql, calls in (("", f"SELECT {RIGHT}", 2), ("+bare_select", "SELECT", 0)):
        method = find_method(f"dail-sql{name}")
        narrow = replace(method, steps=tuple(s.using(prompt_tokens=250) for s in method.steps))
        model = ScriptedModel.of(RIGHT, RIGHT)
        draft = asyncio.run(run_method(narrow, QUESTION, replace(context, model=model)))
        assert (draft.sql, draft.trace.usage.calls) == (sql, calls)
