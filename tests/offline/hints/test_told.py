"""What evidence tells is kept to the end, and read with the slips that people make."""

import pytest

from fathom.offline.engine import OfflineEngine
from fathom.offline.pipeline import settle
from fathom.records import Question


@pytest.mark.parametrize(
    ("question", "evidence", "rows"),
    [
        (
            "Give the full name of all readers whose last name begins with the letter F.",
            "full name refers to first_name, last_name; last name begins with the letter 'F' refers to"
            " last_name LIKE 'F%'",
            (("Olga", "Frost"),),
        ),
        (
            "Provide the publication date and author of the longest book.",
            "author refers to author_name; longest book refers to Max(num_pages)",
            (("1999-05-01", "Ada Quill"),),
        ),
        ("Count the number of books written by Ada Quill.", '"Ada Quill" is the author_name', ((2,),)),
        (
            "Which author wrote Book No. 3?",
            "author refers to author_name; Book No. 3 refers to book_id = 3",
            (("Bo Ink",),),
        ),
        (
            "List the titles of books with less than 350 pages and more than 100.",
            "less than 350 pages and more than 100 refers to num_pages > 100 AND num_pages < 350",
            (("Gulls",), ("World's End",)),
        ),
        (
            "What percentage of books are in the crime genre?",
            "in the crime genre refers to genre = 'crime'; percentage = divide(sum(book_id) when"
            " genre = 'crime', count(book_id)) * 100",
            ((50.0,),),
        ),
        (
            "What is the title of Ada Quill's shortest book?",
            "shortest book refers to min(num_pages)",
            (("A Short Day",),),
        ),
        ("List 1,000 titles.", "", None),
        ("List any two titles of crime.", "titles of crime refers to genre = 'Crime'", 2),
        ("Name three books.", "", 3),
    ],
)
def test_what_is_told_is_answered(
    question: str, evidence: str, rows: tuple[tuple[object, ...], ...] | int | None, engine: OfflineEngine
) -> None:
    found = settle(engine, Question(question, evidence=evidence))
    assert found is not None
    given = engine.database.run(found.sql).rows
    if rows is None:
        assert len(given) == 4
    else:
        assert (len(given) if isinstance(rows, int) else given) == rows


@pytest.mark.parametrize(
    ("told", "stored"),
    [
        ("ada  quill", "Ada Quill"),
        ("Ada Quil", "Ada Quill"),
        ("Worlds End", "World's End"),
        ("Bo Ank", None),
        ("Gulls 2", None),
    ],
)
def test_a_told_value_is_the_stored_one_it_is_a_slip_of(
    told: str, stored: str | None, engine: OfflineEngine
) -> None:
    column = "author_name" if stored is None or "Quill" in stored else "title"
    hints = engine.hints(Question("Which ones?", evidence=f"ones refers to {column} = '{told}'")).hints
    (condition,) = hints[0].conditions
    assert str(stored or told) in repr(condition)
    assert ("is stored as" in hints[0].text) == (stored is not None and stored.casefold() != told)


def test_what_a_query_leaves_out_of_the_evidence_is_not_sure(engine: OfflineEngine) -> None:
    question = Question("List the titles.", evidence="titles refers to SUM(born) / COUNT(fee)")
    found = settle(engine, question)
    assert found is not None
    chosen = found.solution.proposals[found.solution.verdict.choice.order[0]]
    assert not (chosen.unmet and found.sure)
