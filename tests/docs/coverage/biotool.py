"""The figures of the page's rows for BioTool, worked out from pairs and records by other code."""

import base64
import json
import math
import re
import zlib
from collections import Counter
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from tests.docs.coverage.people_work import PREFERRED
from tests.docs.coverage.reading import RowChecks, lines, records

CHECKS = RowChecks()


def _pairs() -> list[dict[str, Any]]:
    return list(json.loads(Path("pairs.json").read_text(encoding="utf-8")))


def _share(shown: str, name: str) -> tuple[float, int, int]:
    """The per cent of a line that a run prints, and its counts."""
    found = re.search(
        rf"^{re.escape(name)} +([\d.]+)% .*?(?:(\d+) of (\d+)|N = (\d+))\)", shown, re.MULTILINE
    )
    assert found, (name, shown[:1500])
    return float(found[1]), int(found[2] or 0), int(found[3] or found[4])


@CHECKS.of("§3.1/App. F 34 tools, 124 endpoints")
def catalogue(shown: str) -> None:
    names = re.findall(r"^  ([a-z_0-9]+) ", shown, re.MULTILINE)
    tools = re.findall(r"^\w+ · .+$", shown, re.MULTILINE)
    assert f"{len(set(names))} endpoints in {len(set(tools))} tools" in shown
    assert len(names) == len(set(names))


@CHECKS.of("§3 format of entries")
def entries(shown: str) -> None:
    told = {r["question"]: json.loads(r["gold"][0]) for r in records("calls")}
    for pair in _pairs():
        assert told[pair["query"]] == {"name": pair["endpoint"], "arguments": pair["arguments"]}
    assert f"of {len(_pairs())}" in shown


@CHECKS.of("§3.1 documentation of endpoints")
def documented(shown: str) -> None:
    path = re.search(r"GET (\S+)", shown)
    assert path
    placeholders = re.findall(r"\{(\w+)\}", path[1])
    assert re.findall(r"^ (\w+) \(needed\)", shown, re.MULTILINE) == placeholders


def _step(name: str) -> list[dict[str, Any]]:
    """The items that a step of the maker wrote."""
    return [item for one in lines(f"set/{name}.jsonl") for item in one["items"]]


@CHECKS.of("§3.1 sampling of arguments")
def sampled(_: str) -> None:
    made = _step("sample")
    assert len(made) == 2
    assert len({json.dumps(one["arguments"], sort_keys=True) for one in made}) == 2
    assert all(
        one["endpoint"] == "lookup_by_symbol" and {"species", "symbol"} <= one["arguments"].keys()
        for one in made
    )


@CHECKS.of("§3.1 filter by execution")
def executed(shown: str) -> None:
    made = _step("run")
    kept = [one for one in made if one.get("observation") and not one.get("rejected")]
    assert f"run: {len(kept)} of {len(_step('sample'))}" in shown
    for one in kept:  # the record is that of the gene and species asked for
        assert one["observation"]["display_name"] == one["arguments"]["symbol"]
        assert one["observation"]["species"] == one["arguments"]["species"]


@CHECKS.of("App. A heuristic filters of each provider")
def filtered(_: str) -> None:
    kept = {one["id"] for one in _step("filter") if not one.get("rejected")}
    told = {one["id"] for one in _step("run") if len(json.dumps(one.get("observation"))) > 100}
    assert kept == told


@CHECKS.of("§3.1/E.1 questions in two phases")
def written(shown: str) -> None:
    made = _step("ask")
    assert Counter(one["id"].rpartition("-")[2] for one in made) == {"broad": 2, "specific": 2}
    assert f"ask: {len({one['id'].rpartition('-')[0] for one in made})} of {len(_step('filter'))}" in shown


@CHECKS.of("§3.1/E.2 judge of informativeness")
def judged(shown: str) -> None:
    made = _step("judge")
    assert f"judge: {len(made)} of {len(_step('ask'))}" in shown
    assert (
        len([one for one in made if not one.get("rejected")]) == 4
    )  # the judge of this page calls all informative


@CHECKS.of("§3.1 refinement by people")
def refined(_: str) -> None:
    told = lines("set/review.jsonl")
    assert {one["id"] for one in told} == {one["id"] for one in _step("judge")}
    assert not any(one["decision"] for one in told)


@CHECKS.of("§3.2 Fig. 3 distributions")
def distributions(shown: str) -> None:
    for endpoint, n in Counter(p["endpoint"] for p in _pairs()).items():
        assert re.search(rf"^  {endpoint} +{n} +{100 * n / len(_pairs()):.1f}%", shown, re.MULTILINE), (
            endpoint
        )


def _call(record: dict[str, Any]) -> dict[str, Any]:
    """The call that a record made; nothing where it made none."""
    return dict((record["call"] or {}).get("call") or {})


def _is_same(record: dict[str, Any]) -> bool:
    """Whether a record's call names the gold endpoint and its arguments."""
    gold, call = json.loads(record["gold"][0]), _call(record)
    return bool(call.get("name") == gold["name"] and call.get("arguments") == gold["arguments"])


@CHECKS.of("§4.1 BioTool score, AS, EM", "§4.1 callers in context")
def scores(shown: str) -> None:
    run = "context" if "runs/context" in shown else "llm"
    kept = records(run)
    same = sum(map(_is_same, kept))
    for name in ("correct", "right endpoint and arguments"):
        assert _share(shown, name)[1:] == (same, len(kept))
    value, _, n = _share(shown, "BioTool score")
    assert n == len(kept)
    assert abs(value - 100 * fmean(r["score"] for r in kept)) < 0.06
    assert value >= 100 * same / len(kept)  # a call that is gold's scores 1


@CHECKS.of("Tab. 1/2 by provider and overall")
def by_provider(shown: str) -> None:
    of = {"lookup_by_symbol": "Ensembl", "esummary": "NCBI", "get_keyword_by_id": "UniProt"}
    for provider in ("Ensembl", "NCBI", "UniProt"):
        kept = [r for r in records("llm") if of[json.loads(r["gold"][0])["name"]] == provider]
        told = re.search(rf"^ {provider} .*?(\d+) of (\d+)\)", shown, re.MULTILINE)
        assert told, provider
        assert tuple(map(int, told.groups())) == (sum(map(_is_same, kept)), len(kept))


@CHECKS.of("§4.1 mean of three runs", "§4.2 a tuned model as caller")
def repeated(shown: str) -> None:
    rates = [100 * fmean(map(_is_same, records(f"tuned/seed-{n}"))) for n in range(3)]
    told = re.search(r"^correct rate +([\d.]+)% ± ([\d.]+)%", shown, re.MULTILINE)
    assert told
    assert abs(float(told[1]) - fmean(rates)) < 0.06
    assert abs(float(told[2]) - stdev(rates)) < 0.06


@CHECKS.of("§4.2 training files, split 4:1", "App. B Tab. 4 scale of data")
def training(shown: str) -> None:
    folder = "training-half" if "training-half/" in shown else "training"
    parts = {part: lines(f"{folder}/{part}.chat.jsonl") for part in ("train", "test")}
    assert f"{len(parts['train'])} for train, {len(parts['test'])} for test" in shown
    asked = [one["messages"][-2]["content"] for part in parts.values() for one in part]
    assert len({next(p["query"] for p in _pairs() if p["query"] in text) for text in asked}) == len(asked)
    whole = round(0.8 * len(_pairs()))
    assert len(parts["train"]) == (whole if folder == "training" else math.ceil(whole / 2))


@CHECKS.of("§4.3 side by side, by two people")
def side_by_side(shown: str) -> None:
    told = lines("anna.jsonl")
    assert f"{len(told)} of {len(_pairs())} pairs" in shown
    answers = {(one["question"]): one["answer"] for one in lines("oracle.jsonl")}
    for one in told:
        assert answers[one["question"]] in (one["left"], one["right"])


@CHECKS.of("App. D adjusted win rate", "Fig. 4 chart of win rates")
def win_rate(shown: str) -> None:
    # The judge of this page prefers the answer on the left, which is the oracle's in some of the pairs.
    told = re.search(r"A's win rate with ties split: ([\d.]+)%", shown)
    assert told
    oracle = {one["question"]: one["answer"] for one in lines("oracle.jsonl")}
    left = [oracle[one["question"]] == one["left"] for one in lines("anna.jsonl")]
    assert abs(float(told[1]) - 100 * fmean(left)) < 0.06
    drawn = shown.split("<svg")[1].split("</svg>", maxsplit=1)[0]
    assert f"{100 * fmean(left):.1f}" in drawn or f"{100 * fmean(left):.0f} %" in drawn, drawn[:1500]


@CHECKS.of("App. D kappa, alpha")
def agreement(shown: str) -> None:
    ours, theirs = ([_said(one) for one in lines(f"{person}.jsonl")] for person in PREFERRED)
    n = len(ours)
    observed = sum(a == b for a, b in zip(ours, theirs, strict=True)) / n
    chance = sum(ours.count(k) * theirs.count(k) for k in set(ours + theirs)) / n**2
    kappa = (observed - chance) / (1 - chance)
    told = re.search(r"kappa\D*?(-?[\d.]+)", shown)
    assert told, shown[:900]
    assert abs(float(told[1]) - kappa) < 0.006, (told[1], kappa)
    # Krippendorff's alpha, of nominal labels and two people.
    labels = Counter(ours + theirs)
    disagreed = 2 * sum(a != b for a, b in zip(ours, theirs, strict=True))
    expected = sum(labels[a] * labels[b] for a in labels for b in labels if a != b) / (2 * n - 1)
    alpha = re.search(r"Krippendorff's alpha\D*?(-?[\d.]+)", shown)
    assert alpha
    assert abs(float(alpha[1]) - (1 - disagreed / expected)) < 0.006


def _said(one: dict[str, Any]) -> str:
    """A verdict as one for a system: queues show the sides in an order of their own."""
    oracle = next(line["answer"] for line in lines("oracle.jsonl") if line["question"] == one["question"])
    if one["verdict"] not in ("left", "right"):
        return str(one["verdict"])
    return "oracle" if one[one["verdict"]] == oracle else "plain"


@CHECKS.of("§4.3/E.3 answers without tools, of an oracle, of a caller")
def answered(shown: str) -> None:
    told = lines("llm.jsonl")
    assert f"{len(told)} answers" in shown
    assert [one["question"] for one in told] == [p["query"] for p in _pairs()]
    assert {one["seen"] for one in told} == {"llm"}


@CHECKS.of("§4.5 Tab. 3 missing, extra, wrong arguments")
def argument_errors(shown: str) -> None:
    wrong: Counter[str] = Counter()
    kept = records("llm")
    for r in kept:
        gold, call = json.loads(r["gold"][0]), _call(r)
        if call.get("name") == gold["name"] and not _is_same(r):
            ours, theirs = call["arguments"], gold["arguments"]
            wrong["missing"] += bool(theirs.keys() - ours.keys())
            wrong["extra"] += bool(ours.keys() - theirs.keys())
            wrong["wrong"] += any(ours[k] != theirs[k] for k in ours.keys() & theirs.keys())
    for kind in ("missing", "extra", "wrong"):
        assert _share(shown, f"failed, arguments {kind}")[1:] == (wrong[kind], len(kept))


@CHECKS.of("§4.6 case study side by side")
def case_study(shown: str) -> None:
    packed = re.findall(r'<script type="text/plain" id="chunk-\d+">(.*?)</script>', shown)
    page = " ".join(zlib.decompress(base64.b64decode(c)).decode() for c in packed)
    assert all(p["query"] in page for p in _pairs())
    for run in ("calls", "llm"):
        for r in records(run):
            for value in _call(r).get("arguments", {}).values():
                assert str(value) in page


@CHECKS.of("App. C Tab. 5 unseen APIs")
def unseen(shown: str) -> None:
    training = {json.loads(r["gold"][0])["name"] for r in records("llm")}
    held = {json.loads(r["gold"][0])["name"] for r in records("unseen")}
    assert held < training
    # All questions of an endpoint are held out together.
    assert len(records("unseen")) == sum(p["endpoint"] in held for p in _pairs())
    assert _share(shown, "right endpoint")[1] == sum(
        _call(r).get("name") == json.loads(r["gold"][0])["name"] for r in records("unseen")
    )


@CHECKS.of("Limitations: several calls in a row")
def chain(shown: str) -> None:
    calls = re.findall(r"^Call (\d) of (\d): (\w+)", shown, re.MULTILINE)
    assert ("Cite: " in shown) != ("Answered by " in shown)  # made records are nobody's to cite
    assert [c[0] for c in calls] == [str(n + 1) for n in range(int(calls[0][1]))]
    assert [c[2] for c in calls] == ["lookup_by_symbol", "get_sequence_by_id"]
    sequence = re.search(r"^seq: ([A-Z]+)$", shown, re.MULTILINE)
    assert sequence
    assert set(sequence[1]) <= set("ACDEFGHIKLMNPQRSTVWY")
