"""Conversations: what a follow-up follows, what it says of itself, and files to go on from."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

import fathom
from fathom.answering import Conversation, as_json, prepare, wants_chart
from fathom.answering.archive import answer_from_json, archived
from fathom.answering.conversation import EDITED_RIGHT
from fathom.databases import Database
from fathom.errors import InputError
from fathom.methods import Context, Method, step
from fathom.records import Answer, Draft, Ending, Reading, Refusal

BY_CITY = "SELECT city, SUM(amount) FROM sale GROUP BY city"
IN_2014 = "SELECT SUM(amount) FROM sale WHERE year = 2014"
COUNTED = "SELECT COUNT(*) FROM sale WHERE year = 2014"


def knowing(queries: Mapping[str, str], torn: str = "") -> Method:
    """A method that has these queries, two readings of one question, and declines all others."""

    @step("generation")
    async def look_up(draft: Draft, context: Context) -> Draft:
        if torn and draft.question.text == torn:
            ways = (Reading("the total", IN_2014, 0.5), Reading("how many", COUNTED, 0.3))
            return replace(draft, sql=IN_2014, readings=ways, confidence=0.5)
        sql = queries.get(draft.question.text)
        if sql is None:
            return replace(draft, refusal=Refusal("Nothing is known of “moon”.", ("moon",)), confidence=0.1)
        return replace(draft, sql=sql, confidence=0.9)

    return Method("knowing", (look_up,))


def talk_about(shop: Database, torn: str = "", **queries: str) -> Conversation:
    return Conversation(prepare(shop, method=knowing(queries, torn)))


def rows(answer: Answer) -> tuple[tuple[object, ...], ...]:
    assert answer.result is not None, answer.text
    return answer.result.rows


def test_it_is_part_of_the_public_api(shop: Database) -> None:
    with fathom.Conversation(shop, method=knowing({"q": IN_2014})) as talk:
        assert rows(talk.ask("q")) == ((17.5,),)
    assert shop.run("SELECT 1").rows == ((1,),)  # what was open before stays open


def test_what_it_opens_it_closes(shop: Database, tmp_path: Path) -> None:
    path = tmp_path / "shop.db"
    with fathom.Conversation(path, method=knowing({"q": IN_2014})) as talk:
        talk.ask("q")
        database = talk.asking.database
    with pytest.raises(fathom.FathomError, match="closed"):
        database.run("SELECT 1")


def test_a_follow_up_says_how_it_was_read_and_how_sure_it_is(shop: Database) -> None:
    talk = talk_about(shop, q=IN_2014)
    talk.ask("q")
    given = talk.ask("and in 2015?")
    assert rows(given) == ((29.25,),)
    assert given.assumptions[0].text.startswith("I took this as: ")
    assert given.confidence == pytest.approx(0.9 * EDITED_RIGHT)


@pytest.mark.parametrize(
    ("sql", "text", "expected"),
    [
        (COUNTED, "list them", ((1,), (3,))),
        (COUNTED, "Which ones?", ((1,), (3,))),
        (COUNTED, "and show me those", ((1,), (3,))),
        ("SELECT COUNT(DISTINCT city) FROM sale", "which ones are they?", (("Bern",), ("Rome",))),
        (IN_2014, "list them", ((10.5,), (7.0,))),
    ],
)
def test_what_was_counted_is_listed(
    shop: Database, sql: str, text: str, expected: tuple[tuple[object, ...], ...]
) -> None:
    talk = talk_about(shop, q=sql)
    talk.ask("q")
    found = rows(talk.ask(text))
    assert tuple(r[:1] if len(expected[0]) == 1 else r for r in found) == expected


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("as a chart", True),
        ("Show me that as a bar chart", True),
        ("plot it", True),
        ("draw this", True),
        ("chart", True),
        ("and as a graph", True),
        ("show me the chart of accounts", False),
        ("which customers are on the chart?", False),
        ("how many plots are there?", False),
        ("", False),
        ("show them", False),
    ],
)
def test_a_wish_for_a_chart_is_told_from_a_question(text: str, asked: bool) -> None:
    assert wants_chart(text) is asked


def test_as_a_chart_draws_the_rows_before_and_asks_nothing(shop: Database) -> None:
    talk = talk_about(shop, q=BY_CITY)
    before = talk.ask("q")
    drawn = talk.ask("as a chart")
    assert drawn.chart is not None
    assert rows(drawn) == rows(before)


def test_one_number_makes_no_chart(shop: Database) -> None:
    talk = talk_about(shop, q=IN_2014)
    talk.ask("q")
    given = talk.ask("as a chart")
    assert given.ending is Ending.UNKNOWN
    assert "a number for each" in given.text


def test_nothing_follows_a_declined_question_silently(shop: Database) -> None:
    talk = talk_about(shop, q=IN_2014)
    talk.ask("q")
    assert talk.ask("sales of the moon").ending is Ending.UNKNOWN
    given = talk.ask("and in 2015?")
    assert given.ending is Ending.UNKNOWN
    assert "the question before it, “sales of the moon”, had no answer." in given.text


def test_a_declined_question_can_be_completed(shop: Database) -> None:
    talk = talk_about(shop, **{"Sales in 2015": "SELECT 29.25"})
    assert talk.ask("Sales in 1814?").ending is Ending.UNKNOWN
    given = talk.ask("and in 2015?")
    assert rows(given) == ((29.25,),)
    assert "“Sales in 2015”" in given.assumptions[0].text


def test_a_reading_is_chosen_by_its_number_and_followed(shop: Database) -> None:
    talk = talk_about(shop, torn="q")
    assert talk.ask("q").ending is Ending.UNSURE
    assert "choose one of its readings" in talk.ask("sort them by age").text.casefold()
    talk.ask("q")
    assert rows(talk.ask("(2)")) == ((2,),)
    assert rows(talk.ask("and in 2015?")) == ((2,),)
    talk.ask("q")
    with pytest.raises(InputError, match="no reading 4"):
        talk.ask("4")
    assert rows(talk.choose(1)) == ((17.5,),)


def test_choosing_needs_a_question(shop: Database) -> None:
    with pytest.raises(InputError, match="nothing was asked"):
        talk_about(shop).choose(1)


def test_it_goes_on_from_a_file(shop: Database, tmp_path: Path) -> None:
    method = knowing({"Sales in 2014": IN_2014, "Sales in Rome": "SELECT 16.25"})
    talk = Conversation(shop, method=method)
    talk.ask("Sales in 2014")
    talk.ask("and in 2015?")
    talk.save(tmp_path / "talk.json")
    later = Conversation.load(tmp_path / "talk.json", shop, method=method)
    assert later.answers == talk.answers
    assert rows(later.ask("only in Bern")) == ((20.0,),)
    assert rows(Conversation.load(tmp_path / "talk.json", shop, method=method).ask("and in Rome?"))


def test_it_goes_on_from_one_answer(shop: Database, tmp_path: Path) -> None:
    file = tmp_path / "answer.json"
    file.write_text(json.dumps(as_json(talk_about(shop, q=IN_2014).ask("q"))))
    assert rows(Conversation.load(file, shop).ask("and in 2015?")) == ((29.25,),)


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", '{"form": "fathom conversation"}', '{"version": 1, "answer": "3"}'],
)
def test_what_is_no_conversation_is_refused(shop: Database, tmp_path: Path, content: str) -> None:
    file = tmp_path / "talk.json"
    file.write_text(content)
    with pytest.raises(InputError):
        Conversation.load(file, shop)
    with pytest.raises(InputError, match="No such file"):
        Conversation.load(tmp_path / "gone.json", shop)


def test_markdown_has_sql_and_rows_and_no_markup_from_outside(shop: Database, tmp_path: Path) -> None:
    evil = "SELECT '<b>x</b>|y' AS \"a|b\", 'line\nbreak' AS c"
    talk = talk_about(shop, **{"## <script>": evil, "q": BY_CITY})
    talk.ask("## <script>")
    talk.ask("q")
    talk.save(tmp_path / "talk.md")
    text = (tmp_path / "talk.md").read_text()
    assert text == talk.markdown()
    assert "| Bern | 30.50 |" in text
    assert f"```sql\n{BY_CITY}\n```" in text
    assert "\\<b\\>x\\</b\\>\\|y" in text
    assert "line break" in text
    outside_code = "".join(text.split("```")[::2])
    assert "<" not in outside_code.replace("\\<", "")


def test_another_ending_or_folder_is_named(shop: Database, tmp_path: Path) -> None:
    talk = talk_about(shop, q=IN_2014)
    with pytest.raises(InputError, match=r"\.json, to go on from, or \.md"):
        talk.save(tmp_path / "talk.pdf")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="can't be written"):
        talk.save(tmp_path / "file" / "talk.md")


def test_what_an_edit_goes_on_from_outlasts_the_conversation(shop: Database) -> None:
    talk = talk_about(shop, **{"What was sold in 2014?": IN_2014})
    talk.ask("What was sold in 2014?")
    edited = talk.ask("and in 2015?")
    assert (edited.question.text, edited.whole) == ("and in 2015?", "What was sold in 2014?")
    kept = answer_from_json(json.loads(json.dumps(archived(edited))))
    assert Conversation(talk.asking, [kept]).whole == talk.whole == "What was sold in 2014?"


def test_readings_are_written_with_their_answers(shop: Database) -> None:
    talk = talk_about(shop, "q")
    talk.ask("q")
    assert all(reading.answer in talk.markdown() for reading in talk.answers[0].readings)


def test_offline_names_the_words_of_a_follow_up_that_it_can_not_read(shop: Database) -> None:
    talk = Conversation(prepare(shop))
    assert talk.ask("How many sales were there in 2014?").ending is Ending.SURE
    given = talk.ask("and their shoe sizes?")
    assert given.ending is Ending.UNKNOWN
    assert given.refusal is not None
    assert given.refusal.missing == ("shoe", "sizes")
    assert "“How many sales were there in 2014?”" in given.text


@pytest.fixture
def faulty(shop: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Conversation:
    """A conversation of one answer, whose follow-ups fail by an error that nobody foresaw."""
    monkeypatch.setenv("FATHOM_CACHE", str(tmp_path / "cache"))
    talk = talk_about(shop, **{"q": IN_2014})
    talk.ask("q")

    def fail(*_: object) -> object:
        talk.whole = "half changed"
        raise IndexError("list index out of range: Ana Lima")

    monkeypatch.setattr("fathom.answering.conversation.edit_follow_up", fail)
    return talk


def test_an_unforeseen_error_leaves_the_conversation_as_it_was(faulty: Conversation, tmp_path: Path) -> None:
    before = faulty.answers.copy(), faulty.whole
    given = faulty.ask("and in 2015?")
    assert given.ending is Ending.UNKNOWN
    assert given.refusal is not None
    assert given.refusal.fault
    assert (faulty.answers, faulty.whole) == before
    assert rows(faulty.ask("q")) == ((17.5,),)
    (report,) = (tmp_path / "cache" / "faults").iterdir()
    assert str(report) in given.text
    assert "Ana Lima" not in given.text, "an error's own words may quote what the person may not see"
    assert report.stat().st_mode & 0o777 == 0o600
    told = report.read_text()
    assert "and in 2015?" in told
    assert "IndexError: list index out of range" in told


def test_what_points_back_to_no_answer_is_not_answered_by_itself(shop: Database) -> None:
    talk = talk_about(shop, **{"what is their total?": IN_2014})
    assert talk.ask("the moon").ending is Ending.UNKNOWN
    given = talk.ask("what is their total?")
    assert given.ending is Ending.UNKNOWN
    assert "had no answer." in given.text


def test_what_is_asked_anew_says_that_nothing_before_holds(shop: Database) -> None:
    talk = talk_about(shop, q=IN_2014, **{"show the moon instead": COUNTED})
    talk.ask("q")
    given = talk.ask("show the moon instead")
    assert rows(given) == ((2,),)
    assert given.assumptions[0].text == "Taken as a new question: nothing of “q” carries over."
