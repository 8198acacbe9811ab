"""Answers judged without gold: the arithmetic, sentences with planted errors, and rounds with a model."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.analysis.shop import make_shop
from tests.command import Fathom

from fathom.analysis import Figures, Reader, Vocabulary
from fathom.answering import prepare
from fathom.authoring.judging import (
    Expert,
    conflict_score,
    judge_answer,
    nearest,
    presentation_score,
    ratings,
)
from fathom.authoring.judging.journal import Judgement, judge_all
from fathom.databases import connect
from fathom.errors import InputError
from fathom.evaluation.answers.pairs import Answered
from fathom.llm import ScriptedModel


def weighed(right: str, wrong: str, conflict: str) -> str:
    return json.dumps({"right": right, "wrong": wrong, "conflict": conflict, "reason": "So it is."})


def presented(*ratings: int) -> str:
    named = dict(zip(("clarity", "coherence", "narrative"), ratings, strict=True))
    return json.dumps({**named, "reason": "Plain."})


RATED = (weighed("fully", "fully", "total"), weighed("fully", "fully", "low"), presented(3, 1, 2))
"""Replies on answerability, relevance and presentation."""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_shop(tmp_path_factory.mktemp("shop") / "shop.sqlite")


@pytest.fixture
def expert(shop: Path) -> Iterator[Expert]:
    with connect(shop) as database:
        vocabulary = Vocabulary(database)
        yield Expert(prepare(database), Reader(vocabulary), Figures(vocabulary))


def with_model(expert: Expert, model: ScriptedModel) -> Expert:
    return Expert(expert.asking, expert.reader, expert.figures, model)


def test_the_paper_s_example_and_the_ties() -> None:
    assert conflict_score(1, 1, "total") == 0
    assert conflict_score(1, 0.5, "low") == 1
    assert [nearest(v) for v in (0.1, 0.25, 0.26, 0.75, 0.76)] == [0, 0, 0.5, 0.5, 1]
    assert [presentation_score(*r) for r in ((3, 3, 3), (1, 1, 1), (3, 1, 2))] == [1, 0, 0.5]


def test_a_planted_error_is_found_and_kept_with_its_evidence(expert: Expert) -> None:
    text = "There are 100 customers. Malta has 35 customers. Everybody is happy."
    found = asyncio.run(judge_answer("1", "How many customers are there by country?", text, expert))

    assert [s.inference for s in found.sentences] == ["true", "false", "not judged"]
    assert found.correctness == 0.5
    told = found.as_json()["sentences"][1]["claims"][0]
    assert (told["verdict"], told["figures"]) == ("contradicted", {"value": 20.0, "stated": 35.0})
    assert "Malta" in told["queries"][0]


@pytest.mark.parametrize(
    ("text", "inferences"),
    [
        ("Norway has 50 customers and Spain 30.", ["true"]),
        ("Norway has 30 customers and Spain 50.", ["false"]),
        ("Norway is our largest market with 50 customers, followed by Spain with 30.", ["true"]),
        ("Spain is our largest market, with 30.", ["false"]),
        ("Spain comes second with 30.", ["true"]),
        ("Norway comes second with 50.", ["false"]),
        ("Norway stands at 50 million.", ["false"]),
        ("Spain comes second. It has 30 customers.", ["true", "true"]),
        ("Spain comes second. It has 20 customers.", ["true", "false"]),
        ("Spain is wonderful. It has 30 customers.", ["not judged", "not judged"]),
        ("We shipped 50 tons to Norway.", ["not judged"]),
        ("Norway has $50 customers.", ["not judged"]),
        ("In Norway we lost 50 customers.", ["not judged"]),
        ("Norway has 50 customers because of the weather.", ["not judged"]),
        ("Norway has 50 customers, and everybody smiles.", ["not judged"]),
        ("We should leave Norway because Norway has the most customers.", ["not judged"]),
        ("The courier drives the delivery days.", ["not judged"]),
    ],
)
def test_a_sentence_is_true_only_where_all_of_it_is_read(
    expert: Expert, text: str, inferences: list[str]
) -> None:
    found = asyncio.run(judge_answer("1", "How many customers are there by country?", text, expert))

    assert [s.inference for s in found.sentences] == inferences


def test_what_is_not_judged_names_the_word_and_the_lesson(expert: Expert) -> None:
    text = "Norway has 50 zlotniks."
    found = asyncio.run(judge_answer("1", "How many customers are there?", text, expert))

    (sentence,) = found.sentences
    assert sentence.as_json()["reason"] == (
        "“zlotniks” names nothing here. If a column is meant, teach it: "
        "fathom teach DATABASE --word zlotniks --means TABLE.COLUMN"
    )


def test_nobody_is_accused_of_another_measure_s_figure(expert: Expert) -> None:
    """3,690 orders come to a freight of 37,766.97: who says the one of the other isn't called a liar."""
    text = "The total weight of orders is 37,766.97. The total weight of orders is 37,866.97."
    found = asyncio.run(judge_answer("1", "What is the total weight?", text, expert))

    assert [s.inference for s in found.sentences] == ["not judged", "false"]


def test_a_false_sentence_is_asked_about_three_times(expert: Expert) -> None:
    asked = json.dumps(["How many customers are there?"])
    no, yes = (json.dumps({"inference": i, "reason": "so"}) for i in ("false", "true"))
    model = ScriptedModel.of(asked, no, asked, no, asked, yes, *RATED)
    found = asyncio.run(judge_answer("1", "Customers?", "Clients abound.", with_model(expert, model)))

    assert [r.inference for r in found.sentences[0].rounds] == ["false", "false", "true"]
    assert found.sentences[0].right is False

    model = ScriptedModel.of(asked, json.dumps({"inference": "partially true", "reason": "so"}), *RATED)
    found = asyncio.run(judge_answer("1", "Customers?", "Clients abound.", with_model(expert, model)))
    assert (len(found.sentences[0].rounds), found.sentences[0].right) == (1, True)


def test_a_model_rates_the_other_dimensions(expert: Expert) -> None:
    text = "There are 100 customers. Malta has 35 customers."
    model = ScriptedModel.of(*RATED)
    found = asyncio.run(judge_answer("1", "How many customers?", text, with_model(expert, model)))

    assert (found.answerability, found.relevance, found.presentation) == (0.0, 1.0, 0.5)
    assert any("So it is." in reason and "conflict total" in reason for reason in found.reasons)


def test_an_empty_set_counts_nothing_whatever_the_model_says(expert: Expert) -> None:
    model = ScriptedModel.of(*RATED)
    found = asyncio.run(
        judge_answer("1", "How many customers?", "There are 90 customers.", with_model(expert, model))
    )
    assert (found.answerability, found.relevance) == (0.0, 0.0)
    model = ScriptedModel.of(*RATED)
    found = asyncio.run(
        judge_answer("1", "How many customers?", "There are 100 customers.", with_model(expert, model))
    )
    assert (found.answerability, found.relevance) == (1.0, 1.0)


def test_a_rating_that_cannot_be_read_leaves_its_dimension_open(expert: Expert) -> None:
    model = ScriptedModel.of(RATED[0], *["nonsense"] * 3, RATED[2])
    found = asyncio.run(
        judge_answer("1", "How many customers?", "There are 100 customers.", with_model(expert, model))
    )
    assert (found.answerability, found.relevance, found.presentation) == (1.0, None, 0.5)
    assert any(reason.startswith("Relevance isn't judged") for reason in found.reasons)


def test_a_long_answer_is_rated_in_parts(expert: Expert, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ratings, "LONGEST", 30)
    model = ScriptedModel.of(
        weighed("no", "no", "low"), weighed("fully", "no", "low"),
        weighed("no", "no", "low"), weighed("fully", "no", "low"),
        presented(3, 3, 3), presented(1, 1, 1),
    )  # fmt: skip
    text = "There are 100 customers. Malta has 20 customers."
    found = asyncio.run(judge_answer("1", "How many?", text, with_model(expert, model)))

    # The best part answers; relevance and presentation are the parts' means, of 0 and 1.
    assert (found.answerability, found.relevance, found.presentation) == (1.0, 0.5, 0.5)
    assert found.reasons[0] == "Rated in 2 parts."


def test_judging_goes_on_where_it_was_stopped(expert: Expert, tmp_path: Path) -> None:
    file = tmp_path / "judged.jsonl"
    answers = {str(n): Answered("How many customers?", f"There are {n} customers.") for n in (100, 90, 80)}

    async def some(most: int, judge: str = "rules") -> list[Judgement]:
        found = []
        judging = judge_all(answers, expert, judge, file)
        async for judged in judging:
            found.append(judged)
            if len(found) == most:
                break
        await judging.aclose()
        return found

    asyncio.run(some(2))
    with file.open("a") as stream:
        stream.write('{"id": "80", "of": "to')  # a kill in the middle of a line
    first = file.read_text().splitlines()[0]
    again = asyncio.run(some(5))

    assert [j["factual_correctness"] for j in again] == [1.0, 0.0, 0.0]
    assert [json.loads(line)["id"] for line in file.read_text().splitlines()] == ["100", "90", "80"]
    assert file.read_text().splitlines()[0] == first
    with pytest.raises(InputError, match="by another judge"):
        asyncio.run(some(5, "another:model"))


def test_kind_of_question_matters(expert: Expert) -> None:
    question, number = "Why do delivery days differ?", "The average delivery days of orders is 5.02."
    driver = "Delivery days differ significantly between couriers."
    by_driver = asyncio.run(judge_answer("1", question, driver, expert))
    by_number = asyncio.run(judge_answer("1", question, number, expert))

    assert (by_driver.answerability, by_driver.relevance) == (1.0, 1.0)
    assert by_number.answerability == 0.5


def test_the_command(fathom: Fathom, shop: Path, tmp_path: Path) -> None:
    answers = tmp_path / "answers.jsonl"
    text = "There are 90 customers. We have 12 zlotniks."
    line = {"id": "a", "question": "How many customers?", "answer": text}
    answers.write_text(json.dumps(line) + "\n")
    out = tmp_path / "judged.jsonl"
    done = fathom("judge", "business", str(answers), "--database", str(shop), "-o", str(out))

    assert done.code == 0
    assert "2 sentences: 0 right, 1 wrong, 1 not judged." in done.out
    assert "not judged (1): “zlotniks” names nothing here." in done.out
    assert json.loads(out.read_text())["factual_correctness"] == 0
    assert fathom("judge", "business", str(answers)).code == 1

    people = [tmp_path / "anna.jsonl", tmp_path / "ben.jsonl"]
    for file in people:
        file.write_text(json.dumps({"id": "a", "factual_correctness": 0, "presentation": 1}) + "\n")
    given = [f"--people={file}" for file in people]
    done = fathom("judge", "business", answers, "--database", shop, "-o", out, *given)
    assert "factual_correctness: right on 1 of 1 that people agree on" in done.out
