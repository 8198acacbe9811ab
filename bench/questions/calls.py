"""Questions for callers of biomedical APIs, written for this purpose: phrasings to fill, and calls in a row."""

import json
import random
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from fathom.biotools.callers import SolvedCall
from fathom.biotools.client import Client
from fathom.biotools.observations.parts import at

PHRASINGS = Path(__file__).with_name("biotools.yaml")
CHAINS = Path(__file__).with_name("biotools_chains.yaml")
ELSEWHERE = Path(__file__).with_name("biotools_elsewhere.yaml")

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


def generated(file: Path = PHRASINGS, *, seed: int = 1) -> list[SolvedCall]:
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


def chains(part: str, client: Client) -> list[dict[str, Any]]:
    """Questions of a part, "tuned" or "held_out", with gold calls as `fathom evaluate` reads them.

    What a gold call takes from the answers before it is looked up by making them.
    """
    held = yaml.safe_load(CHAINS.read_text(encoding="utf-8"))[part]
    return [{"query": one["query"], "calls": _resolved(one["calls"], client)} for one in held]


def _resolved(calls: list[dict[str, Any]], client: Client) -> list[dict[str, Any]]:
    answers: list[Any] = []
    found = []
    for call in calls:
        ((endpoint, given),) = call.items()
        arguments = {k: _looked_up(v, answers) if isinstance(v, str) else v for k, v in given.items()}
        found.append({"endpoint": endpoint, "arguments": arguments})
        if len(found) < len(calls):
            answers.append(client.call(endpoint, arguments).json)
    return found


def _looked_up(text: str, answers: list[Any]) -> str:
    """The text with every {CALL.KEY.0.KEY} in it replaced; what isn't there is an error of the file."""

    def value(found: re.Match[str]) -> str:
        number, *steps = (int(step) if step.isdigit() else step for step in found[1].split("."))
        there = at(answers[int(number) - 1], *steps)
        assert there not in (None, "", []), f"{found[0]} is in no answer"
        return ",".join(map(str, there)) if isinstance(there, list) else str(there)

    return re.sub(r"\{(\d+\.[\w.]+)\}", value, text)


def elsewhere(part: str) -> list[str]:
    """Questions of a part, "tuned" or "held_out", that none of the endpoints answers."""
    held: dict[str, list[str]] = yaml.safe_load(ELSEWHERE.read_text(encoding="utf-8"))
    return held[part]


def write_rows(rows: list[dict[str, Any]], file: Path) -> str:
    """Keep questions for `fathom.evaluate_calls`; returns the benchmark's name."""
    file.write_text(json.dumps(rows), encoding="utf-8")
    return f"biotool:{file}"


def rows_of(questions: list[SolvedCall]) -> list[dict[str, Any]]:
    """Solved questions as such rows."""
    return [{"query": q.question, "endpoint": q.endpoint, "arguments": dict(q.arguments)} for q in questions]
