"""BioTool from making questions to measuring callers, by commands, over HTTP for model and services."""

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.authoring.biotool.test_worded_answers import PAIRS, lines_of, pairs_in
from tests.command import Fathom
from tests.llm.hostile import Books, Server, _ordinary
from tests.llm.spoken import Asked

from fathom.biotools.loopback import Loopback


def _last(asked: Asked) -> str:
    return str(asked.body["messages"][-1]["content"])


def _call_for(words: str) -> tuple[str, dict[str, Any]] | None:
    found = next((pair for pair in PAIRS if pair[0] in words), None)
    return None if found is None else (found[1], found[2])


def _changes(asked: Asked) -> dict[str, Any]:
    """What a model that behaves replies: calls, questions, judgements."""
    words = _last(asked)
    if "First weigh the call" in words:
        needed = re.search(r"in both questions: (.*)", words)
        told = needed[1].split("\n")[0] if needed and "(none)" not in needed[1] else "it"
        made = {"broad": f"What is known about {told}?", "specific": f"Where exactly does {told} lie?"}
        return {"text": json.dumps({"arguments": [], "fields": ["id"], **made})}
    if "enough to begin" in words:
        return {"text": json.dumps({"informative": True, "reason": "it says so", "limitations": "none"})}
    call = _call_for(json.dumps(asked.body["messages"], ensure_ascii=False))
    if asked.body.get("tools"):
        if call is None or "seq_region" in words or "snp_id" in words:
            asked.body.pop("tools")  # it has seen enough, and answers
            return {"text": "It is told in the observation."}
        return {"tool": call[0], "arguments": call[1]}
    name, arguments = call or ("", {})
    return {"text": json.dumps({"name": name, "arguments": arguments})}


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of a model served over HTTP; the services answer from made records."""
    monkeypatch.setenv("FATHOM_CACHE", str(tmp_path / "cache"))
    with Server() as server, Loopback() as services:
        for service, base in services.bases.items():
            monkeypatch.setenv(f"FATHOM_BASE_{service.upper()}", base)

        async def reply(asked: Asked, books: Books, reader: Any, writer: asyncio.StreamWriter) -> bool:
            status, headers, body = _ordinary(asked, books, **_changes(asked))
            head = "".join(f"{k}: {v}\r\n" for k, v in {"content-length": len(body), **headers}.items())
            writer.write(f"HTTP/1.1 {status} X\r\n{head}\r\n".encode() + body)
            await writer.drain()
            return True

        monkeypatch.setattr(server, "_reply", reply)
        yield f"{server.openai}#own"


@pytest.mark.parametrize("caller", ["llm", "finetuned"])
def test_callers_that_ask_a_model_are_measured(
    caller: str, model: str, tmp_path: Path, fathom: Fathom
) -> None:
    asked = ("evaluate-calls", f"biotool:{pairs_in(tmp_path)}", "--caller", caller, "--model", model)
    done = fathom(*asked, "-o", tmp_path / caller, "--json")
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert (told["correct"], told["n"]) == (3, 3)
    assert told["calls"]["right_arguments"]["hits"] == 3
    assert told["usage"]["total"]["calls"]["value"] >= 1


def test_repeats_give_mean_and_spread(model: str, tmp_path: Path, fathom: Fathom) -> None:
    asked = ("evaluate-calls", f"biotool:{pairs_in(tmp_path)}", "--caller", "finetuned", "--model", model)
    done = fathom(*asked, "-o", tmp_path / "runs", "--repeats", 3)
    assert done.code == 0, done.err
    assert "3 runs of 3 questions" in done.out
    assert re.search(r"score +100\.0% ± 0\.0%", done.out)


def test_a_data_set_is_made_with_a_model(model: str, tmp_path: Path, fathom: Fathom) -> None:
    seeds = tmp_path / "seeds.yaml"
    seeds.write_text("symbol: [BRCA2, TP53]\nspecies: [homo_sapiens]\n")
    made = ("author", "biotool", "-o", tmp_path / "set", "--model", model, "--count", 2)
    done = fathom(*made, "--endpoint", "lookup_by_symbol", "--seeds", seeds)
    assert done.code == 0, done.err
    questions = lines_of(tmp_path / "set" / "questions.jsonl")
    assert {q["complexity"] for q in questions} == {"broad", "specific"}
    assert any(q["call"]["arguments"]["symbol"] in q["question"] for q in questions)
    described = json.loads(
        fathom("benchmarks", "describe", f"biotool:{tmp_path / 'set' / 'questions.json'}", "--json").out
    )
    assert described["by"]["service"] == {"Ensembl": len(questions)}
    assert set(described["by"]) >= {"domain", "kind of call", "tool", "endpoint"}
