import pytest

from fathom.text.identifiers import identifier_words, spoken


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("UnitPrice", "unit price"),
        ("order_id", "order ID"),
        ("CUSTOMER_NAME", "customer name"),
        ("MIN_SALARY", "min salary"),
        ("USER_AGE", "user age"),
        ("STUDENT_GPA", "student GPA"),
        ("studentGPA", "student GPA"),
        ("sales.dim_date", "date"),
        ("Order Details", "order details"),
        ("_", "_"),
        ("名前", "名前"),
    ],
)
def test_names_are_said_in_words(name: str, said: str) -> None:
    assert spoken(name) == said


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("StuID_no", "student id number"),
        ("custjoindate", "customer join date"),
        ("HTTPServer", "http server"),
        ("gene_IDs2", "gene id 2"),
        ("GrößeCm", "grösse cm"),
        ("dob", "date of birth"),
        ("dep_id", "department id"),
        ("dep_time", "departure time"),
        ("arrDelayDep", "arrival delay departure"),
        ("pH", "ph"),
    ],
)
def test_identifiers_come_apart_and_in_full(name: str, words: str) -> None:
    assert " ".join(identifier_words(name)) == words
