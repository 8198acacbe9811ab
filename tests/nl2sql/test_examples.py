import asyncio
from dataclasses import replace

import pytest

from fathom.knowledge import KnowledgePack
from fathom.methods import Context
from fathom.nl2sql.examples import built_alike_first, mask_of, ranked_examples
from fathom.nl2sql.masking import NAME, VALUE, masked
from fathom.nl2sql.skeletons import likeness, pieces
from fathom.nl2sql.word_index import WordIndex
from fathom.records import Question, SolvedExample

SOLVED = {
    "What is the height of the tower 'Big Ben'?": "SELECT height FROM tower WHERE name = 'Big Ben'",
    "How many towers are there?": "SELECT COUNT(*) FROM tower",
    "Which three rivers are the longest?": "SELECT name FROM river ORDER BY length DESC LIMIT 3",
    "How many rivers flow through each country?": "SELECT country, COUNT(*) FROM flow GROUP BY country",
}
EXAMPLES = tuple(SolvedExample(question, sql) for question, sql in SOLVED.items())


@pytest.mark.parametrize(
    ("sql", "skeleton", "names", "texts"),
    [
        (
            "SELECT T1.name FROM tower AS T1 WHERE T1.city = 'New York' AND height >= 20.5",
            {"select", "from", "where", "=", "and", ">="},
            {"name", "tower", "city", "height"},
            {"New York"},
        ),
        (
            'SELECT COUNT(DISTINCT `first name`) FROM "t x" GROUP BY year ORDER BY 1 ASC',
            {"select", "count", "distinct", "from", "group", "by", "order"},
            {"first name", "t x", "year"},
            set(),
        ),
        ("SELECT 'unclosed", set(), set(), set()),
    ],
)
def test_a_query_comes_apart_into_its_pieces(
    sql: str, skeleton: set[str], names: set[str], texts: set[str]
) -> None:
    found = pieces(sql)
    assert (set(found.skeleton), set(found.names), set(found.texts)) == (skeleton, names, texts)


def test_skeletons_are_alike_whatever_the_names() -> None:
    assert likeness("SELECT a FROM b WHERE c = 1", "select xx from yy as z where z.q = 'r'") == 1
    assert likeness("SELECT a FROM b", "SELECT a FROM b WHERE c = 1") == 0.5
    assert likeness("", "SELECT 1") == 0


def test_masking_hides_names_values_and_numbers() -> None:
    found = masked(
        "How many Departments in New York had over 20 heads?", ["department", "head_id"], ["new york"]
    )
    assert found == ("how", "many", NAME, "in", VALUE, VALUE, "had", "over", VALUE, NAME)
    assert masked("Which name?", ["name"], ["Name"]) == ("which", NAME)


def test_near_texts_share_rare_words() -> None:
    index = WordIndex([["the", "red", "house"], ["the", "blue", "house"], ["a", "sea"]])
    assert index.nearest(["the", "blue", "door"]) == [1, 0, 2]
    assert index.nearness(["the", "red", "house"])[0] == pytest.approx(1)
    assert index.nearness([]).tolist() == [0, 0, 0]


def test_values_of_the_database_are_masked(context: Context) -> None:
    asked = Question("What is the length of LRRK2?")
    assert asyncio.run(mask_of(context, asked))[-3:] == (NAME, "of", VALUE)
    assert asyncio.run(mask_of(context, asked, values=False))[-1] == "lrrk2"


def test_masked_questions_find_their_like_in_other_databases(context: Context) -> None:
    known = replace(context, examples=EXAMPLES[2:], knowledge=KnowledgePack(examples=EXAMPLES[:2]))
    near = asyncio.run(ranked_examples(known, Question("What is the length of the gene 'APOE'?"), 2))
    assert near[0] == EXAMPLES[0]
    assert set(near) == set(EXAMPLES)


def test_a_preliminary_query_brings_those_built_like_it_forward(context: Context) -> None:
    known = replace(context, examples=EXAMPLES)
    asked = Question("How many genes are there?")
    near = asyncio.run(ranked_examples(known, asked, 2))
    assert near[0] == EXAMPLES[1]
    found = built_alike_first(near, "SELECT symbol FROM gene ORDER BY length DESC LIMIT 1")
    assert found == [EXAMPLES[2], *(e for e in near if e != EXAMPLES[2])]
    assert built_alike_first(near, None) == near


def test_the_question_asked_is_never_its_own_example(context: Context) -> None:
    known = replace(context, examples=EXAMPLES)
    for by_mask in (True, False):
        near = asyncio.run(ranked_examples(known, Question("how many TOWERS are there"), 4, by_mask=by_mask))
        assert EXAMPLES[1] not in near
        assert len(near) == 3


def test_without_examples_there_are_none(context: Context) -> None:
    assert asyncio.run(ranked_examples(context, Question("How many genes are there?"), 3)) == []
