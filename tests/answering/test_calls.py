from collections.abc import Iterator
from functools import reduce
from typing import Any

import pytest
from tests.biotools.conftest import quick

import fathom
from fathom.answering.calls import ToolAnswer
from fathom.answering.facts import facts_of, untraced
from fathom.biotools.catalogue.endpoints import SERVICES
from fathom.biotools.client import Client
from fathom.biotools.loopback import Loopback
from fathom.errors import RecordNotFound

QUESTIONS = (
    "Within 29:707,234-757,234, which variant pairs are linked in the NextGen goats?",
    "Which phenotypes are associated with the gene BRCA2 in human?",
    "What is known about the variant rs699 in human?",
    "What is the amino acid sequence of ENSP00000288602?",
    "Which reviewed proteins does UniProtKB have for human TP53?",
    "Find close relatives of MGKVVAQASVSLDGFIAGPGGSGFDRLFAW in Swiss-Prot with BLAST",
)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with Loopback() as server, Client(quick(tmp_path_factory.mktemp("calls"), server)) as opened:
        yield opened


@pytest.mark.parametrize("question", QUESTIONS)
def test_an_answer_says_what_its_observation_says_and_where_it_is_from(client: Client, question: str) -> None:
    given = fathom.call(question, client=client)
    assert given.refusal is None
    (made,) = given.calls
    assert given.text.splitlines()[1:] == [fact.text for fact in made.facts]
    assert made.observation is not None
    for fact in made.facts:
        found = reduce(lambda item, step: item[step], fact.place, made.observation.content)
        scalars = found if isinstance(found, str | int | float) else None
        assert scalars is None or str(scalars)[:100] in fact.text
    assert made.url.startswith("https://")
    assert not made.citation  # its records are made


def test_what_a_service_says_itself_is_cited(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SERVICES, "ensembl", client.options.base("ensembl"))
    (made,) = fathom.call(QUESTIONS[0], client=client).calls
    assert made.citation.startswith("Yates A")


def test_what_is_not_clear_is_declined_and_nothing_is_sent(client: Client) -> None:
    given = fathom.call("What is the weather in Paris?", client=client)
    assert given.refusal is not None
    assert given.calls == ()


def test_a_record_that_is_not_there_is_told(client: Client) -> None:
    with pytest.raises(RecordNotFound):
        fathom.call("What is the disease DI-99999?", client=client)


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        ({"a_b": 1, "c": None}, ["a b: 1"]),
        ({"total": 5, "shown": 2, "examples": ["x", {"y": 2}]}, ["5 in all, 2 shown", "  1. x", "  2. y 2"]),
        ([{"n": 1}], ["1 in all, 1 shown", "  1. n 1"]),
        ({"hits": {"total": 1, "shown": 1, "examples": ["x"]}}, ["hits: 1 in all, 1 shown", "  1. x"]),
        ({}, []),
    ],
)
def test_facts(content: Any, lines: list[str]) -> None:
    assert [fact.text for fact in facts_of(content)] == lines


def test_an_answer_is_a_value() -> None:
    assert ToolAnswer("q", "t", 0.5) == ToolAnswer("q", "t", 0.5)


@pytest.mark.parametrize(
    ("words", "strange"),
    [
        ("BRCA2 lies on chromosome 13, from 32,315,086 on.", ()),
        ("It is rs699, of ENSG00000139618.", ()),
        ("It is linked to TP53 and 17 others.", ("TP53", "17")),
        ("See ENSG00000999999.", ("ENSG00000999999",)),
        ("Nothing named at all.", ()),
    ],
)
def test_words_say_no_more_than_their_sources(words: str, strange: tuple[str, ...]) -> None:
    sources = ["What is BRCA2?", "{'id': 'ENSG00000139618.18', 'region': '13:32315086', 'near': 'rs699'}"]
    assert untraced(words, sources) == strange
