from pathlib import Path
from typing import Any

import pytest
import yaml
from bench.questions.calls import generated

from fathom.biotools.callers import OfflineCaller, SolvedCall
from fathom.biotools.callers.entities import find_entities
from fathom.biotools.catalogue import check

CASES = yaml.safe_load(Path(__file__).with_name("questions.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def caller() -> OfflineCaller:
    return OfflineCaller()


@pytest.mark.parametrize("case", CASES["calls"], ids=lambda c: c["question"][:40])
def test_a_question_becomes_the_call_that_answers_it(caller: OfflineCaller, case: dict[str, Any]) -> None:
    proposal = caller.read(str(case["question"]))
    assert proposal.call is not None, proposal.refusal
    assert proposal.call == check(str(case["endpoint"]), case["arguments"])


@pytest.mark.parametrize("case", CASES["declined"], ids=lambda c: c["question"][:40])
def test_what_can_not_be_called_is_declined_with_the_reason(
    caller: OfflineCaller, case: dict[str, str]
) -> None:
    proposal = caller.read(case["question"])
    assert proposal.call is None
    assert case["says"] in proposal.refusal


def test_solved_examples_count_at_once() -> None:
    caller = OfflineCaller()
    question = "Zorblify the quux of rs1217074595, please"
    assert caller.read(question).endpoint != "esummary"
    caller.learn(
        [
            SolvedCall(
                "Zorblify the quux of rs123456, please",
                "esummary",
                {"db": "snp", "id": "123456", "retmax": 10},
            )
        ]
    )
    learnt = caller.read(question)
    assert learnt.call is not None
    assert dict(learnt.call.arguments) == {"db": "snp", "id": "1217074595", "retmax": 10}


def test_identifiers_found_before_feed_the_next_call() -> None:
    example = SolvedCall(
        "What is the official symbol of LMP10?", "esummary", {"db": "gene", "id": "5699"}, step=2
    )
    caller = OfflineCaller([example])
    proposal = caller.read("What is the official symbol of SNAT6?", found=["145389", "299139"])
    assert proposal.call is not None
    assert dict(proposal.call.arguments) == {"db": "gene", "id": "145389,299139"}


def test_what_was_assumed_is_told(caller: OfflineCaller) -> None:
    assert caller.read("Where is the gene BRCA2 located in human?").assumed == {}
    assert caller.read("How strongly are rs699 and rs1042779 linked?").assumed == {"species": "homo_sapiens"}


def test_every_held_out_question_is_well_formed() -> None:
    """The gold calls of the measurement pass the check themselves."""
    caller = OfflineCaller()
    from fathom.biotools.catalogue import endpoints

    questions = generated()
    for gold in questions:
        check(gold.endpoint, gold.arguments)
    assert all(sum(g.endpoint == name for g in questions) >= 5 for name in endpoints())
    asked = [(caller.read(g.question).call, check(g.endpoint, g.arguments)) for g in questions[::8]]
    assert sum(made == gold for made, gold in asked) >= 0.5 * len(asked)


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Lift 29:707,234-757,234, please", [("region", "29:707,234-757,234")]),
        (
            "rs699 in Kinh people of goat farms",
            [("variant", "rs699"), ("population", "Kinh"), ("species", "people"), ("species", "goat")],
        ),
        ("PMID 26318936 and PMC5002951", [("pmid", "26318936"), ("pmcid", "PMC5002951")]),
        (
            "ENSMUSG00000002413.3 against P05067",
            [("ensembl_gene", "ENSMUSG00000002413.3"), ("uniprot", "P05067")],
        ),
        ("papers about 'mitochondrial matrix'", [("quoted", "mitochondrial matrix")]),
        ("UniProt's keywords for ‘Alzheimer's disease’", [("quoted", "Alzheimer's disease")]),
        ("the 3' UTR and the genes' 5' ends", [("number", "3"), ("number", "5")]),
        (
            "a CYP2C9*3 carrier with HLA-B*57:01",
            [("star_allele", "CYP2C9*3"), ("star_allele", "HLA-B*57:01")],
        ),
        ("the DNA of KW-0020 and UniRef90_P99999", [("keyword", "KW-0020"), ("uniref", "UniRef90_P99999")]),
    ],
)
def test_what_a_question_names(question: str, found: list[tuple[str, str]]) -> None:
    assert [(e.kind, e.text) for e in find_entities(question)] == found
