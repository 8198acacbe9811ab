import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from bench.questions.calls import generated

from fathom.answering.calls import call
from fathom.biotools.callers import MadeCall, OfflineCaller, follow
from fathom.biotools.callers.bridges import BRIDGES, Crossing, paths
from fathom.biotools.callers.endpoint_fit import MOST_SURE
from fathom.biotools.callers.plans import CROSSED
from fathom.biotools.catalogue import EndpointCall, check
from fathom.biotools.catalogue.names import all_species
from fathom.biotools.client import ApiResponse, Client, ClientOptions
from fathom.biotools.observations import Observation
from fathom.records import Refusal

CASES = yaml.safe_load(Path(__file__).with_name("chains.yaml").read_text(encoding="utf-8"))
SEQUENCE = "What is the protein sequence of human BRCA2?"


@pytest.fixture(scope="module")
def caller() -> OfflineCaller:
    return OfflineCaller()


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["question"][:50])
def test_one_answer_feeds_the_next(caller: OfflineCaller, client: Client, case: dict[str, Any]) -> None:
    chain = asyncio.run(follow(case["question"], caller, client))
    assert [made.call.endpoint.name for made in chain.calls] == case["calls"], chain.refusal
    assert (chain.refusal, chain.stopped) == ("", "")
    assert chain.confidence >= caller.sure
    for before, made, argument in zip(chain.calls[:-1], chain.calls[1:], case["fed"], strict=True):
        assert before.observation is not None
        value = str(made.call.arguments[argument]).removeprefix("uniprotkb:")
        for part in re.split(r"[,:-]", value):
            assert part in before.observation.response.text
            assert part not in case["question"]


def test_a_call_that_gives_nothing_ends_the_chain_with_the_reason(caller: OfflineCaller) -> None:
    first = asyncio.run(caller.propose(SEQUENCE)).call
    assert first is not None
    response = ApiResponse(first, "https://rest.ensembl.org/x", b"{}", {"content-type": "application/json"})
    after = asyncio.run(caller.propose(SEQUENCE, earlier=[MadeCall(first, Observation({}, response))]))
    assert after.call is None
    assert "gave no ensembl protein to go on with" in after.refusal


def test_what_a_service_gives_is_checked_before_it_goes_on(caller: OfflineCaller) -> None:
    first = asyncio.run(caller.propose(SEQUENCE)).call
    assert first is not None
    body = b'{"Transcript": [{"Translation": {"id": "../../lookup?x=ENSP1"}}]}'
    response = ApiResponse(first, "https://rest.ensembl.org/x", body, {"content-type": "application/json"})
    after = asyncio.run(caller.propose(SEQUENCE, earlier=[MadeCall(first, Observation({}, response))]))
    assert after.call is None
    assert "get_sequence_by_id seems meant, but: id" in after.refusal


@pytest.mark.parametrize("limit", [1, 2])
def test_chains_keep_to_the_limit(caller: OfflineCaller, client: Client, limit: int) -> None:
    chain = asyncio.run(follow(SEQUENCE, caller, client, limit=limit))
    assert len(chain.calls) == limit
    assert bool(chain.stopped) == (limit == 1)


@pytest.mark.parametrize("bridge", BRIDGES, ids=lambda b: f"{b.takes}-{b.gives}")
def test_every_bridge_can_be_crossed(client: Client, bridge: Any) -> None:
    """From the loopback server's answer, and to a call that the catalogue takes."""
    samples = {
        "symbol": "BRCA2",
        "orthologue": "BRCA2",
        "ensembl_gene": "ENSG00000139618",
        "uniprot": "P38398",
        "variant": "rs699",
        "species": "zebrafish",
        "text": "asthma",
    }
    species = all_species()
    crossing = Crossing(samples[bridge.takes], species["homo_sapiens"], species["mus_musculus"], "pubmed")
    response = client.make(check(bridge.endpoint, bridge.arguments(crossing)))
    assert bridge.pick(response.json)
    assert bridge.pick({}) is None
    assert bridge.pick([]) is None
    assert bridge.pick(None) is None


def test_bridges_join_to_longer_ways_the_shortest_first() -> None:
    ways = paths("symbol", 3)
    assert [b.endpoint for b in ways["ensembl_gene"]] == ["lookup_by_symbol"]
    assert [b.endpoint for b in ways["uniref"]] == ["search_uniprotkb", "search_uniref"]
    assert "uniref" not in paths("symbol", 1)


def test_chains_hardly_ever_take_the_place_of_one_call(caller: OfflineCaller) -> None:
    """Each of these questions is answered by one call; a caller that chained many would be too eager."""
    questions = generated()[::5]
    chained = sum(asyncio.run(caller.propose(g.question)).more for g in questions)
    assert chained <= 0.03 * len(questions)


def test_a_chain_is_no_surer_than_its_bridges_together(caller: OfflineCaller, client: Client) -> None:
    for question, bridges in (
        (SEQUENCE, 1),
        ("Which haplotypes does the mouse orthologue of BRCA2 have?", 2),
    ):
        chain = asyncio.run(follow(question, caller, client))
        assert len(chain.calls) == bridges + 1
        assert caller.sure <= chain.confidence <= MOST_SURE * CROSSED**bridges + 0.0005


def test_a_plan_is_made_where_a_single_call_would_only_be_its_first_step(caller: OfflineCaller) -> None:
    question = "Show the haplotypes of the canonical transcript of the human gene HBB."
    assert caller.read(question).endpoint == "lookup_by_symbol"
    assert asyncio.run(caller.propose(question)).more
    alone = asyncio.run(caller.propose("Where does the human gene HBB lie?"))
    assert alone.call is not None
    assert not alone.more


class _Renaming(Client):
    """A client of a service where entries were merged, split and deleted."""

    def __init__(self, answers: dict[str, dict[str, Any]], folder: Path) -> None:
        super().__init__(ClientOptions(folder=folder))
        self._answers = answers

    def make(self, call: EndpointCall, **_: Any) -> ApiResponse:
        body = json.dumps(self._answers[call.arguments["accession"]]).encode()
        return ApiResponse(call, "https://rest.uniprot.org/x", body, {"content-type": "application/json"})


def _inactive(accession: str, kind: str, *successors: str) -> dict[str, Any]:
    reason = {"inactiveReasonType": kind, "mergeDemergeTo": list(successors)}
    return {"entryType": "Inactive", "primaryAccession": accession, "inactiveReason": reason}


ACTIVE = {"entryType": "UniProtKB reviewed (Swiss-Prot)", "primaryAccession": "P00002"}
RENAMED = "What is the function of UniProt P00001?"


@pytest.mark.parametrize(
    ("answers", "asked", "refusal", "notes"),
    [
        (
            {"P00001": _inactive("P00001", "MERGED", "P00002"), "P00002": ACTIVE},
            ["P00001", "P00002"],
            "",
            ("P00001 was merged into P00002.",),
        ),
        ({"P00001": ACTIVE}, ["P00001"], "", ()),  # a redirect, followed by the client
        (
            {"P00001": _inactive("P00001", "DEMERGED", "P00002", "P00003")},
            ["P00001"],
            "P00001 was split into P00002 and P00003. Ask about one of them.",
            (),
        ),
        (
            {"P00001": _inactive("P00001", "DELETED")},
            ["P00001"],
            "P00001 was deleted from UniProtKB. UniParc keeps its sequence.",
            (),
        ),
        (
            {"P00001": _inactive("P00001", "MERGED", "../x")},
            ["P00001"],
            "P00001 was merged into ../x.",
            (),
        ),
        (
            {"P00001": _inactive("P00001", "MERGED", "P00001")},
            ["P00001"],
            "P00001 was merged into P00001. That one names no entry either.",
            (),
        ),
    ],
)
def test_an_old_accession_is_followed_or_told(
    caller: OfflineCaller,
    tmp_path: Path,
    *,
    answers: dict[str, Any],
    asked: list[str],
    refusal: str,
    notes: tuple[str, ...],
) -> None:
    with _Renaming(answers, tmp_path) as client:
        given = call(RENAMED, caller=caller, client=client)
    assert [one.arguments["accession"] for one in given.calls] == asked
    assert given.refusal == (Refusal(refusal) if refusal else None)
    assert [note for note in given.notes if "Answered by" not in note] == list(notes)
    if not refusal:
        assert "accession: P00002" in given.text
    if asked == ["P00001"] and not refusal:
        assert "P00001 is an old accession of P00002." in given.text
