"""The method for a small model: what both say is sure, what one says is weighed, what fails is mended."""

import asyncio
from dataclasses import replace
from pathlib import Path

from tests.nl2sql.local.messy import hospital

from fathom.llm import ScriptedModel
from fathom.methods import Context, find_method, run_method
from fathom.nl2sql.local.offline_first import OfflineReading, offline_reading
from fathom.nl2sql.local.ranking import Sampled, features, ranking, weigh
from fathom.nl2sql.local.writing import Written
from fathom.nl2sql.query_runs import QueryRun, Status
from fathom.records import Draft, Question, Result


def asked(context: Context, question: str, *replies: str, **settings: object) -> tuple[Draft, ScriptedModel]:
    model = ScriptedModel.of(*replies)
    method = find_method("local").using(**settings)
    return asyncio.run(run_method(method, Question(question), replace(context, model=model))), model


def test_what_both_say_is_sure(context: Context) -> None:
    draft, model = asked(context, "How many genes are there?", "```sql\nSELECT COUNT(id) FROM gene\n```")
    assert draft.sql == "SELECT COUNT(id) FROM gene"
    assert draft.confidence is not None
    assert draft.confidence >= ranking().sure
    assert not draft.readings
    assert draft.refusal is None
    reading = offline_reading(draft)
    assert reading.answers
    assert reading.others
    assert reading.sql not in reading.others
    assert "CREATE TABLE gene" in model.prompts[0]
    assert model.prompts[0].index("CREATE TABLE gene") < model.prompts[0].index("How many genes")


def test_a_sure_answer_is_less_sure_where_the_model_reads_otherwise(context: Context) -> None:
    agreed, _ = asked(context, "How many genes are there?", "SELECT COUNT(*) FROM gene")
    differs, _ = asked(context, "How many genes are there?", "SELECT COUNT(*) FROM drug WHERE phase = 4")
    assert differs.candidates
    assert (differs.confidence or 0) < (agreed.confidence or 0) - 0.03
    assert any(
        "reads the question otherwise: SELECT COUNT(*) FROM drug" in a.text for a in differs.assumptions
    )
    assert not agreed.assumptions


def test_a_failing_query_is_mended_and_counts(context: Context) -> None:
    draft, _ = asked(context, "action of Donepezil", "SELECT action FROM drug WHERE name = 'Donepezil'")
    told = {s.name: s.found for s in draft.trace.steps}
    (mended,) = told["choose_by_agreement"]["mended"]
    assert "JOIN target" in mended
    assert mended in {c.sql for c in draft.candidates}


def test_without_a_query_of_the_model_offline_stands(context: Context) -> None:
    draft, _ = asked(context, "How many genes are there?", "I can't say.")
    assert draft.sql is not None
    assert context.database.run(draft.sql).rows == ((3,),)


def test_what_nothing_speaks_for_is_declined(context: Context) -> None:
    draft, _ = asked(context, "What is the weather in Oslo?", "SELECT symbol FROM gene WHERE symbol = 'Oslo'")
    assert draft.refusal is not None
    assert not draft.readings


def test_a_bar_of_ones_own(context: Context) -> None:
    lenient, _ = asked(context, "odd drugs", "SELECT name FROM drug WHERE phase = 2", confidence=0.0)
    assert lenient.sql
    assert lenient.refusal is None
    assert not lenient.readings
    strict, _ = asked(context, "How many genes are there?", "SELECT COUNT(*) FROM gene", confidence=1.0)
    assert strict.readings or strict.refusal


def test_several_samples_vote(context: Context) -> None:
    two, three = "SELECT name FROM drug WHERE phase = 2", "SELECT name FROM drug WHERE phase = 4"
    draft, model = asked(context, "drugs still tried out", three, two, two, samples=3)
    assert len(model.prompts) == 3
    by_sql = {c.sql: c.score or 0 for c in draft.candidates}
    assert by_sql[two] > by_sql[three]


def test_that_both_find_nothing_is_no_agreement() -> None:
    def weight(count: int) -> float:
        sql = "SELECT COUNT(*) FROM drug"
        run = QueryRun(sql, Status.OK, Result(("n",), ((count,),), sql, 0.0))
        found = weigh("How many drugs?", [Sampled(run, Written(sql), False)], [run], OfflineReading(sql))
        return features(found.evidence.results[0], found)["both"]

    assert (weight(0), weight(3)) == (0.0, 1.0)


def test_weights_are_sound() -> None:
    learned = ranking()
    assert 0.5 < learned.sure < 1
    assert learned.weights["both"] > 0
    assert learned.weights["offline's best, how sure"] >= 0


def test_columns_are_read_by_their_form_before_results_are_compared(tmp_path: Path) -> None:
    with hospital(tmp_path) as database:
        context = Context(database, cache=tmp_path / "cache")
        late = "SELECT COUNT(*) FROM stay WHERE came >= '2024-03-01'"
        draft, _ = asked(context, "How many stays came since 2024-03-01?", late)
        assert draft.sql is not None
        assert "SUBSTR" in draft.sql
        assert database.run(draft.sql).rows == ((13,),)


def test_what_cannot_be_read_by_form_is_no_candidate(tmp_path: Path) -> None:
    with hospital(tmp_path) as database:
        context = Context(database, cache=tmp_path / "cache")
        draft, _ = asked(context, "commonest finding", "SELECT found FROM stay GROUP BY found LIMIT 1")
    assert not any("GROUP BY found" in (c.sql or "") and not c.error for c in draft.candidates)
