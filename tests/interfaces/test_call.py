import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.command import Fathom

from fathom.biotools.loopback import Loopback


@pytest.fixture(scope="module")
def server() -> Iterator[Loopback]:
    with Loopback() as running:
        yield running


@pytest.fixture(autouse=True)
def addresses(server: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FATHOM_CACHE", str(tmp_path))
    for service, base in server.bases.items():
        monkeypatch.setenv(f"FATHOM_BASE_{service.upper()}", base)


LINKED = (
    "call",
    "get_ld_region",
    "species=goat",
    "region=chr29:707,234-757,234",
    "population_name=NextGen goats",
)


def test_a_call_prints_its_observation_and_where_it_is_from(fathom: Fathom, server: Loopback) -> None:
    code, out, err = fathom(*LINKED)
    assert code == 0
    assert json.loads(out)["population"] == "NextGen:All"
    assert "rest.ensembl.org/ld/capra_hircus/region/29:707234-757234/NextGen:All" in err
    assert "20 of" in err
    assert f"Answered by {server.bases['ensembl']}, not by https://rest.ensembl.org." in err
    assert "kept from before" in fathom(*LINKED)[2]


def test_the_raw_response_and_the_address_alone(fathom: Fathom, server: Loopback) -> None:
    assert "variation1" in fathom(*LINKED, "--raw")[1]
    came = len(server.times["ensembl"])
    assert fathom(*LINKED, "--dry-run")[1].startswith(f"{server.bases['ensembl']}/ld/")
    assert len(server.times["ensembl"]) == came


def test_a_stream_goes_into_a_file(fathom: Fathom, tmp_path: Path) -> None:
    file = tmp_path / "all.json"
    assert fathom("call", "stream_keywords", "query=kinase", "--output", str(file))[0] == 0
    assert json.loads(file.read_text())["results"]


@pytest.mark.parametrize("given", [("feature=gene", "feature=transcript"), ("feature=gene,transcript",)])
def test_several_values_are_sent_each(fathom: Fathom, given: tuple[str, ...]) -> None:
    code, out, _ = fathom("call", "overlap_by_region", "species=human", "region=7:1-99", *given, "--dry-run")
    assert code == 0
    assert "?feature=gene&feature=transcript&" in out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("get_ld_region", "species=gaot"), "'goat'"),
        (("lookup_by_symbol", "goat"), "no '='"),
        (("lookup_by_symbol", "species=goat", "species=cow"), "given twice"),
        (("lookup_by_id", "id=ENSG99999999999"), "no such record"),
    ],
)
def test_what_is_wrong_is_told(fathom: Fathom, arguments: tuple[str, ...], told: str) -> None:
    code, _, err = fathom("call", *arguments)
    assert code == 1
    assert told in err


def test_verify_tells_how_each_endpoint_fared(fathom: Fathom) -> None:
    code, out, _ = fathom("tools", "verify", "get_keyword_by_id", "einfo")
    assert code == 0
    assert out.count("ok ") == 2
    assert "0 of 2 endpoints failed" in out


def test_ask_with_tools_answers_with_call_and_address_and_cites_no_made_record(fathom: Fathom) -> None:
    code, out, err = fathom("ask-tools", "What is known about the variant rs699 in human?")
    assert code == 0
    assert "rs699" in out
    assert "Check it at: https://rest.ensembl.org/variation/homo_sapiens/rs699" in err
    assert "Yates A" not in err
    answered = json.loads(fathom("ask-tools", "--json", "What is known about the variant rs699 in human?")[1])
    assert (answered["status"], answered["endpoint"]) == ("answered", "get_variation")


def test_ask_with_tools_declines_what_it_can_not_place(fathom: Fathom) -> None:
    code, out, _ = fathom("ask-tools", "What is the weather in Paris?")
    assert code == 3
    assert "clear" in out


def test_one_answer_feeds_the_next_and_every_call_is_shown(fathom: Fathom) -> None:
    question = "What is the protein sequence of human BRCA2?"
    code, _, err = fathom("ask-tools", question)
    assert code == 0
    assert "Call 1 of 2: lookup_by_symbol" in err
    assert "Call 2 of 2: get_sequence_by_id" in err
    assert err.count("Check it at: https://rest.ensembl.org/") == 2
    answered = json.loads(fathom("ask-tools", "--json", question)[1])
    assert [one["endpoint"] for one in answered["calls"]] == ["lookup_by_symbol", "get_sequence_by_id"]
    assert all(one["url"] and not one["citation"] and one["observation"] for one in answered["calls"])
    cut = json.loads(fathom("ask-tools", "--calls", "1", "--json", question)[1])
    assert len(cut["calls"]) == 1
    assert "limit of 1" in cut["notes"][0]


def test_a_model_without_a_key_is_told(fathom: Fathom, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    code, _, err = fathom("ask-tools", "--model", "openai:x", "What is known about rs699?")
    assert code == 1
    assert "OPENAI_API_KEY" in err
    code, _, err = fathom("ask-tools", "--caller", "finetuned", "What is known about rs699?")
    assert code == 1
    assert "--model" in err


def test_training_files_are_exported(fathom: Fathom, tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.jsonl"
    rows = [
        {
            "query": f"What is known about rs{n}99?",
            "endpoint": e,
            "arguments": {"species": "human", "id": f"rs{n}99"},
        }
        for n in range(1, 11)
        for e in ("get_variation", "vep_by_id")
    ]
    pairs.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for split in ("random", "unseen"):
        out = tmp_path / split
        code, said, _ = fathom("tools", "export-training", pairs, "--out", out, "--split", split)
        assert code == 0
        assert str(out) in said
        files = {f.name for f in out.iterdir()}
        assert {f"{p}.{k}.jsonl" for p in ("train", "test") for k in ("chat", "sharegpt", "alpaca")} <= files
    about = json.loads((tmp_path / "random" / "about.json").read_text(encoding="utf-8"))
    assert sum(about["examples"].values()) == len(rows)
    assert (about["split"], about["seed"]) == ("random", 42)
    code, _, err = fathom("tools", "export-training", str(pairs))
    assert code == 1
    assert "--out" in err


def test_verify_says_first_that_another_address_answers(fathom: Fathom, server: Loopback) -> None:
    code, out, err = fathom("tools", "verify", "get_ld_region", "einfo")
    assert code == 0
    assert f"Answered by {server.bases['ensembl']}, not by" in err
    assert "uniprot" not in err
    assert [line.split()[:3] for line in out.splitlines()[:2]] == [
        ["ok", "Ensembl", "get_ld_region"],
        ["ok", "NCBI", "einfo"],
    ]
