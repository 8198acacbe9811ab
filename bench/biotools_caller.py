"""The offline caller: on published question and call pairs, leave one out, and on our own held-out phrasings.

The packaged phrasings were written by people who had read the published pairs; those near to a pair were taken
out. The held-out phrasings are by the same hand as the packaged ones, but were written after them; while the
caller was made, only their totals were looked at. Other people's wording will fare worse.
"""

import json
import random
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from bench.figures import DATA, Figure
from fathom.biotools.callers import OfflineCaller, Proposal, SolvedCall
from fathom.biotools.catalogue import check, endpoints
from fathom.errors import FathomError

TITLE = "From a question to a call of a biomedical API, without a model"
HELD_OUT = Path(__file__).parent / "biotools_questions.yaml"
PUBLISHED = DATA.parent / "specs" / "biotool_examples.json"


def published() -> list[tuple[SolvedCall, tuple[str, ...]]]:
    """The published pairs, each with the identifiers that the call before it found."""
    rows = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    found: list[tuple[SolvedCall, tuple[str, ...]]] = []
    earlier: dict[str, tuple[str, ...]] = {}
    for row in rows:
        arguments = row.get("arguments_api") or row["arguments"]
        step = row.get("step") or 1
        found.append(
            (
                SolvedCall(row["query"], row["endpoint"], arguments, step),
                earlier.get(row["query"], ()) if step > 1 else (),
            )
        )
        if ids := re.search(r'"idlist":\s*\[([^\]]*)\]', str(row.get("observation"))):
            earlier[row["query"]] = tuple(re.findall(r"\d+", ids[1]))
    return found


def same_arguments(proposal: Proposal, gold: SolvedCall) -> bool:
    """Whether the call is the gold one, both in the API's form."""
    if proposal.call is None or proposal.call.endpoint.name != gold.endpoint:
        return False
    try:
        return dict(proposal.call.arguments) == dict(check(gold.endpoint, gold.arguments).arguments)
    except FathomError:  # an incomplete reference call
        return False


def leave_one_out() -> Iterator[tuple[SolvedCall, Proposal, float]]:
    """Each pair, asked of a caller that learnt from those with other questions."""
    pairs = published()
    for gold, found in pairs:
        caller = OfflineCaller(other for other, _ in pairs if other.question != gold.question)
        began = time.perf_counter()
        yield gold, caller.read(gold.question, found=found), time.perf_counter() - began


SAMPLES: Mapping[str, list[tuple[str, str]]] = {
    "species": [("human", "homo_sapiens"), ("goat", "capra_hircus"), ("mouse", "mus_musculus"), ("zebrafish", "danio_rerio"), ("dog", "canis_lupus_familiaris"),
                ("chicken", "gallus_gallus"), ("pig", "sus_scrofa"), ("Rattus norvegicus", "rattus_norvegicus")],
    "symbol": [(s, s) for s in ("BRCA2", "TP53", "EGFR", "MLXIPL", "CFTR", "APOE", "KCNQ1", "LRRK2")],
    "region": [("7:140424943-140524564", "7:140424943-140524564"), ("chr12:1,000,000-1,040,000", "12:1000000-1040000"), ("X:1000000..1000100", "X:1000000-1000100"),
               ("chromosome 3:500 to 9,500", "3:500-9500")],
    "span": [("100-300", "100..300"), ("1 to 50", "1..50"), ("20..90", "20..90")],
    "population": [("Finnish", "1000GENOMES:phase_3:FIN"), ("KHV", "1000GENOMES:phase_3:KHV"), ("Yoruba", "1000GENOMES:phase_3:YRI"),
                   ("1000GENOMES:phase_3:CEU", "1000GENOMES:phase_3:CEU"), ("Japanese", "1000GENOMES:phase_3:JPT"), ("Tuscan", "1000GENOMES:phase_3:TSI")],
    "variant": [("rs699", "rs699"), ("rs1042779", "rs1042779"), ("rs56116432", "rs56116432"), ("RS6792369", "rs6792369")],
    "hgvs": [("AGT:c.803T>C", "AGT:c.803T>C"), ("9:g.22125504G>C", "9:g.22125504G>C"), ("ENSP00000401091.1:p.Tyr124Cys", "ENSP00000401091.1:p.Tyr124Cys")],
    "gene": [("ENSG00000157764", "ENSG00000157764"), ("ENSG00000139618", "ENSG00000139618"), ("ENSG00000012048.23", "ENSG00000012048.23")],
    "transcript": [("ENST00000288602", "ENST00000288602"), ("ENST00000380152.8", "ENST00000380152.8")],
    "protein": [("ENSP00000288602", "ENSP00000288602"), ("ENSP00000369497", "ENSP00000369497")],
    "tree": [("ENSGT00390000003602", "ENSGT00390000003602"), ("ENSGT00390000001518", "ENSGT00390000001518")],
    "assembly": [("GRCh37", "GRCh37"), ("hg19", "GRCh37"), ("GRCh38", "GRCh38"), ("hg38", "GRCh38"), ("NCBI36", "NCBI36")],
    "entrez": [("PubMed", "pubmed"), ("nuccore", "nuccore"), ("ClinVar", "clinvar"), ("dbSNP", "snp"), ("OMIM", "omim"), ("bioproject", "bioproject"), ("taxonomy", "taxonomy")],
    "ontology": [("GO:0005667", "GO:0005667"), ("EFO:0003900", "EFO:0003900"), ("GO:0006915", "GO:0006915")],
    "taxon": [("9606", "9606"), ("10090", "10090"), ("217", "217")],
    "uniprot": [("P05067", "P05067"), ("O60381", "O60381"), ("P38398", "P38398"), ("Q9Y6K9", "Q9Y6K9")],
    "division": [("EnsemblPlants", "EnsemblPlants"), ("Ensembl Fungi", "EnsemblFungi"), ("EnsemblMetazoa", "EnsemblMetazoa")],
    "protein_query": [("human BRCA1", "gene:BRCA1 AND organism_id:9606"), ("TP53", "gene:TP53"), ("mouse EGFR", "gene:EGFR AND organism_id:10090"), ("insulin receptor", '"insulin receptor"')],
    "organism_query": [("human", "organism_id:9606"), ("zebrafish", "organism_id:7955"), ("Escherichia coli", "organism_id:83333"), ("mouse", "organism_id:10090")],
    "text_query": [("hemoglobin", "hemoglobin"), ("tyrosine phosphatase", '"tyrosine phosphatase"'), ("apoptosis", "apoptosis"), ("cystic fibrosis", '"cystic fibrosis"')],
    "text": [("coffee consumption", "coffee consumption"), ("breast cancer", "breast cancer"), ("asthma", "asthma"), ("sickle cell anemia", "sickle cell anemia")],
    "acid": [("MGKVVAQASVSLDGFIAGPGGSGFDRLFAWCTAGEVATPSAQPDRL", "MGKVVAQASVSLDGFIAGPGGSGFDRLFAWCTAGEVATPSAQPDRL")],
    "bases": [("ACGTTGCAACGTTGCATTGACCAGTACGATTACGGATCAGGCATT", "ACGTTGCAACGTTGCATTGACCAGTACGATTACGGATCAGGCATT")],
    "number": [("19393038", "19393038"), ("672", "672"), ("15718680", "15718680")],
    "chromosome": [("X", "X"), ("7", "7"), ("MT", "MT")],
    "allele": [("C", "C"), ("T", "T")],
}  # fmt: skip
"""What stands in a phrasing's braces: as people say it, and as the API wants it."""


def generated(file: Path = HELD_OUT, *, seed: int = 1) -> list[SolvedCall]:
    """Questions from phrasings: {argument:sort} is filled, arguments after "|" are implied."""
    held: dict[str, list[str]] = yaml.safe_load(file.read_text(encoding="utf-8"))
    roll = random.Random(seed)
    return [_question(name, line, roll) for name, lines in held.items() for line in lines]


def _question(name: str, line: str, roll: random.Random) -> SolvedCall:
    said, _, implied = line.partition(" | ")
    arguments: dict[str, Any] = dict(pair.split("=", 1) for pair in implied.split())
    taken: set[str] = set()

    def fill(found: re.Match[str]) -> str:
        argument, sort = found[1].split(":", 1) if ":" in found[1] else (found[1], found[1])
        choices = [c for c in SAMPLES.get(sort, [(sort, sort)]) if c[1] not in taken] or list(SAMPLES[sort])
        words, value = roll.choice(choices)
        assert isinstance(words, str)
        taken.add(value)
        arguments[argument] = value
        return words

    question = re.sub(r"\{([^{}]+)\}", fill, said)
    return SolvedCall(question, name, arguments)


def _figures(
    label: str, rows: list[tuple[SolvedCall, Proposal, float]], marks: tuple[float, float]
) -> Iterable[Figure]:
    count = len(rows)
    right = sum(p.endpoint == g.endpoint for g, p, _ in rows)
    whole = sum(same_arguments(p, g) for g, p, _ in rows)
    made = [(g, p) for g, p, _ in rows if p.call is not None]
    good = sum(p.endpoint == g.endpoint for g, p in made)
    yield Figure(
        f"{label}: right endpoint",
        f"{right}/{count} = {right / count:.1%}",
        f">= {marks[0]:.0%}",
        right / count >= marks[0],
    )
    yield Figure(
        f"{label}: right endpoint and arguments",
        f"{whole}/{count} = {whole / count:.1%}",
        f">= {marks[1]:.0%}",
        whole / count >= marks[1],
    )
    yield Figure(
        f"{label}: of calls made, right endpoint",
        f"{good}/{len(made)} = {good / max(len(made), 1):.1%}",
        ">= 80%",
        good >= 0.8 * len(made),
        f"{count - len(made)} declined",
    )
    error = sum(
        abs(
            _mean([float(p.endpoint == g.endpoint) for g, p in part]) - _mean([p.confidence for _, p in part])
        )
        * len(part)
        for part in _parts(rows)
    )
    yield Figure(
        f"{label}: calibration error of the confidence",
        f"{error / count:.3f}",
        "",
        None,
        "five equal parts by confidence",
    )


def _parts(rows: list[tuple[SolvedCall, Proposal, float]]) -> list[list[tuple[SolvedCall, Proposal]]]:
    ordered = sorted(((g, p) for g, p, _ in rows), key=lambda r: r[1].confidence)
    return [ordered[len(ordered) * n // 5 : len(ordered) * (n + 1) // 5] for n in range(5)]


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def measure() -> Iterable[Figure]:
    if PUBLISHED.is_file():
        yield from _figures("published pairs, leave one out", list(leave_one_out()), (0.75, 0.45))
    caller = OfflineCaller()
    rows = []
    for gold in generated():
        began = time.perf_counter()
        proposal = caller.read(gold.question)
        rows.append((gold, proposal, time.perf_counter() - began))
    assert {g.endpoint for g, _, _ in rows} == set(endpoints())
    yield from _figures("own held-out phrasings", rows, (0.85, 0.60))
    seconds = sorted(s for _, _, s in rows)
    slow = seconds[int(0.99 * len(seconds))] * 1000
    yield Figure(
        "time of a question, 99th percentile",
        f"{slow:.1f} ms",
        "<= 50 ms",
        slow <= 50,
        f"median {seconds[len(seconds) // 2] * 1000:.1f} ms",
    )
