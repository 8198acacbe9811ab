"""A lesson is tried before it is kept: what it fixes, what it breaks, and that nothing stays of the trial."""

import asyncio
from dataclasses import replace

import pytest

from fathom.answering import Asking, prepare
from fathom.answering.rehearsal import LessonRehearsal, Stand, rehearse, validate
from fathom.databases import Database
from fathom.errors import InputError
from fathom.knowledge import KnowledgePack
from fathom.knowledge.lessons import Lesson, convention, solved, synonym, value_name
from fathom.methods import Context, Method, step
from fathom.records import Draft, Question, Refusal, SolvedExample

ASKED = (
    SolvedExample("How many sales were there in Bern?", "SELECT COUNT(*) FROM sale WHERE city = 'Bern'"),
    SolvedExample("How many sales were there in Rome?", "SELECT COUNT(*) FROM sale WHERE city = 'Rome'"),
    SolvedExample("How many deals were there?", "SELECT COUNT(*) FROM sale"),
    SolvedExample("What went wrong?", "SELECT nothing FROM sale"),
)


def tried(asking: Asking, lesson: Lesson, question: str = "") -> LessonRehearsal:
    return asyncio.run(rehearse(asking, lesson, Question(question) if question else None))


def asking(shop: Database) -> Asking:
    return prepare(shop, packs=[KnowledgePack(examples=ASKED)])


@step("generation")
async def by_the_book(draft: Draft, context: Context) -> Draft:
    """Counts sales; "deals" only where the pack has that word, and with the conditions of its conventions."""
    words = context.knowledge.tables["sale"].synonyms if "sale" in context.knowledge.tables else ()
    if "deals" in draft.question.text and "deals" not in words:
        return replace(draft, refusal=Refusal("What are deals?"))
    city = next((f"city = '{c}'" for c in ("Bern", "Rome") if c in draft.question.text), "1 = 1")
    rules = [c for rule in context.knowledge.conventions for c in rule.adds.conditions]
    return replace(draft, sql=f"SELECT COUNT(*) FROM sale WHERE {' AND '.join([city, *rules])}")


def scripted(shop: Database) -> Asking:
    return replace(asking(shop), method=Method("by the book", (by_the_book,)))


def test_what_a_lesson_fixes_is_counted(shop: Database) -> None:
    found = tried(scripted(shop), synonym("deals", "sale"), "How many deals were there in all?")
    assert [r.question for r in found.fixed] == ["How many deals were there?"]
    assert not found.broken
    assert found.text == "1 fixed, 0 broken of 3 solved questions"  # one can't be judged: its query fails
    assert found.before is not None
    assert found.after is not None
    assert found.before.sql is None
    assert found.after.sql is not None


def test_what_a_lesson_breaks_is_counted(shop: Database) -> None:
    rule = convention("Only big sales", tables=["sale"], condition="amount > 10")
    found = tried(scripted(shop), rule)
    assert {r.question for r in found.broken} == {ASKED[0].question, ASKED[1].question} - {
        r.question for r in found.retried if r.after is Stand.RIGHT
    }
    assert found.broken
    assert not found.fixed


def test_a_solved_question_is_not_told_its_own_answer(shop: Database) -> None:
    seen: list[set[str]] = []

    @step("generation")
    async def look(draft: Draft, context: Context) -> Draft:
        known = {e.question for e in context.knowledge.examples}
        seen.append(known)
        assert draft.question.text not in known
        return replace(draft, refusal=Refusal("No."))

    lesson = solved("Something else", "SELECT 1")
    tried(replace(asking(shop), method=Method("looking", (look,))), lesson)
    assert len(seen) == 2 * 3
    assert sum("Something else" in known for known in seen) == 3


def test_nothing_of_a_trial_is_kept(shop: Database) -> None:
    known = asking(shop)
    tried(known, synonym("deals", "sale"), "How many deals were there in all?")
    engines = [key for key in shop.kept if isinstance(key, tuple) and key[0] == "offline engine"]
    assert [key[1] for key in engines] == [id(known.context.knowledge)]


def test_offline_learns_a_word(shop: Database) -> None:
    found = tried(prepare(shop), synonym("deals", "sale"), "How many deals are there?")
    assert found.after is not None
    assert found.after.result is not None
    assert found.after.result.rows == ((4,),)


@pytest.mark.parametrize(
    ("lesson", "problem"),
    [
        (synonym("deals", "sales"), "Did you mean 'sale'"),
        (synonym("town", "sale", "cty"), "Did you mean 'city'"),
        (value_name("Berne", "sale", "town", "Bern"), "no column 'town'"),
        (solved("q", "DELETE FROM sale"), "would delete rows"),
        (solved("q", "SELECT nothing FROM sale"), "can't be learned"),
        (convention("r", tables=["sale"], condition="missing = 1"), "no column 'missing'"),
    ],
)
def test_a_lesson_has_to_fit_the_database(shop: Database, lesson: Lesson, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        asyncio.run(validate(prepare(shop), lesson))
