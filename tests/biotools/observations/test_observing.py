import json
from pathlib import Path

import pytest

from fathom.biotools.catalogue import check
from fathom.biotools.client import ApiResponse, Client
from fathom.biotools.observations import observe
from fathom.biotools.observations.parts import sample, short, span, spread


def response(name: str, arguments: dict[str, object], body: object) -> ApiResponse:
    text = body if isinstance(body, str) else json.dumps(body)
    kind = "text/xml" if isinstance(body, str) else "application/json"
    return ApiResponse(check(name, arguments), "https://example.org", text.encode(), {"content-type": kind})


def test_linkage_shows_the_strongest_pairs_once_and_says_how_many_there_are() -> None:
    pairs = [
        {
            "variation1": f"rs{n}",
            "variation2": f"rs{n + 1}",
            "r2": str(n / 100),
            "d_prime": "1.0",
            "population_name": "P:Q",
        }
        for n in range(60)
    ]
    twice = [*pairs, *({**p, "variation1": p["variation2"], "variation2": p["variation1"]} for p in pairs)]
    call: dict[str, object] = {"species": "goat", "region": "29:1-900", "population_name": "P:Q"}
    seen = observe(response("get_ld_region", call, twice))
    assert (seen.content["total"], seen.content["shown"]) == (60, 20)
    assert seen.content["examples"][0] == {"variants": ["rs59", "rs60"], "r2": 0.59, "d_prime": 1.0}
    assert seen.left_out == ("records: 20 of 60 shown",)
    assert json.loads(seen.response.body) == twice


def test_phenotypes_come_most_significant_first() -> None:
    rows = [{"description": f"d{n}", "source": "S", "attributes": {"p_value": f"1e-{n}"}} for n in range(30)]
    seen = observe(response("get_phenotype_by_gene", {"species": "human", "gene": "BRAF"}, rows))
    assert [e["description"] for e in seen.content["examples"][:2]] == ["d29", "d28"]
    assert seen.content["sources"] == {"S": 30}


def test_consequences_rank_by_canonical_then_severity() -> None:
    transcripts = [
        {"transcript_id": "low", "consequence_terms": ["intron_variant"]},
        {"transcript_id": "high", "consequence_terms": ["stop_gained"]},
        {"transcript_id": "canonical", "consequence_terms": ["intron_variant"], "canonical": 1},
    ]
    seen = observe(
        response(
            "vep_by_id",
            {"species": "human", "id": "rs1"},
            [{"id": "rs1", "transcript_consequences": transcripts}],
        )
    )
    shown = seen.content["examples"][0]["transcript_consequences"]["examples"]
    assert [t["transcript_id"] for t in shown] == ["canonical", "high", "low"]


def test_a_genbank_record_says_how_long_the_sequence_is_that_it_leaves_out() -> None:
    xml = "<GBSet><GBSeq><GBSeq_locus>A1</GBSeq_locus><GBSeq_sequence>mkvl</GBSeq_sequence></GBSeq></GBSet>"
    seen = observe(response("efetch", {"db": "protein", "id": "A1", "rettype": "gp"}, xml))
    assert seen.content["examples"] == [{"locus": "A1", "sequence_left_out": "4 residues"}]


@pytest.mark.parametrize(
    "text", ["1. BRCA2\nOfficial Symbol: BRCA2", "<Unknown><a>1</a></Unknown>", "<GBSet><cut"]
)
def test_text_and_unknown_records_pass_whole(text: str) -> None:
    assert observe(response("efetch", {"db": "gene", "id": "675"}, text)).content == {"text": text}


def test_what_has_no_reduction_stays_whole_and_pages_tell_the_true_total(
    client: Client, tmp_path: Path
) -> None:
    raw = client.call("get_disease_by_id", {"id": "DI-00394"})
    assert observe(raw).content == raw.json
    paged = client.call("search_uniprotkb", {"query": "insulin", "size": 5})
    assert observe(paged).content["total_on_all_pages"] == paged.total


def test_the_parts() -> None:
    assert sample([1, 2, 3], 2) == {"total": 3, "shown": 2, "examples": [1, 2]}
    assert spread("aab", 1) == {"a": 2, "(others)": 1}
    assert span([1, 2, 6]) == {"least": 1, "mean": 3, "most": 6}
    assert span([]) is None
    assert short("one two three", 8) == "one two … (6 more characters)"
