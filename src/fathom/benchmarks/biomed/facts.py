"""The public facts that the sample knowledge base is made around: genes, loci, drugs, diseases, assays.

Symbols, names, approximate positions, targets, indications and years are common knowledge of the field;
identifiers and all that isn't here are made up by the generator.
"""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

DISEASES = ("AD", "PD", "ALS", "FTD", "LBD", "PSP")
DISEASE_NAMES = {
    "AD": "Alzheimer's Disease",
    "PD": "Parkinson's Disease",
    "ALS": "Amyotrophic Lateral Sclerosis",
    "FTD": "Frontotemporal Dementia",
    "LBD": "Lewy Body Dementia",
    "PSP": "Progressive supranuclear palsy",
}


@dataclass(frozen=True, slots=True)
class Gene:
    """A gene with its approximate position in GRCh38, in base pairs."""

    symbol: str
    chromosome: str
    start: int
    end: int
    name: str


@dataclass(frozen=True, slots=True)
class Locus:
    """A variant known to be associated; `effects` are log odds ratios of A1 by disease."""

    rsid: str
    gene: str
    offset: int
    a1: str
    a2: str
    freq: float
    effects: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Indication:
    """A disease as the drug tables name it; `efo_id` may be empty."""

    mesh_heading: str
    efo_term: str
    mesh_id: str
    efo_id: str


@dataclass(frozen=True, slots=True)
class Drug:
    """A drug; `indications` maps disease codes to the highest trial phase reached for them."""

    name: str
    type: str
    action: str
    mechanism: str
    targets: tuple[str, ...]
    year: int | None
    usan: int | None
    black_box: bool
    withdrawn: bool
    trades: tuple[str, ...]
    synonyms: tuple[str, ...]
    indications: Mapping[str, float]

    @property
    def phase(self) -> float:
        """The highest phase over all indications."""
        return max(self.indications.values(), default=0)


def _rows(name: str) -> list[dict[str, str]]:
    text = files(__package__).joinpath("facts", f"{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines(), delimiter="|"))


@cache
def genes() -> dict[str, Gene]:
    """Genes by symbol."""
    return {
        r["symbol"]: Gene(
            r["symbol"],
            r["chromosome"],
            start := int(r["start_kb"]) * 1000 + 1,
            start + int(r["length_kb"]) * 1000,
            r["name"],
        )
        for r in _rows("genes")
    }


def ensembl(symbol: str) -> str:
    """A made-up identifier in Ensembl's format for a gene, known or made up."""
    if symbol.startswith("LOC9"):
        return f"ENSG00009{int(symbol[4:]):06d}"
    return f"ENSG00008{_order()[symbol]:06d}"


@cache
def _order() -> dict[str, int]:
    return {s: i for i, s in enumerate(genes())}


@cache
def loci() -> tuple[Locus, ...]:
    """Loci with at least one known effect."""
    return tuple(
        Locus(
            r["rsid"],
            r["gene"],
            int(float(r["offset_kb"]) * 1000),
            r["A1"],
            r["A2"],
            float(r["freq"]),
            {k: float(v) for k, v in (e.split(":") for e in r["effects"].split())},
        )
        for r in _rows("loci")
    )


@cache
def indications() -> dict[str, Indication]:
    """Diseases of the drug tables by our code."""
    return {
        r["code"]: Indication(r["mesh_heading"], r["efo_term"], r["mesh_id"], r["efo_id"])
        for r in _rows("diseases")
    }


@cache
def drugs() -> tuple[Drug, ...]:
    """Drugs that people know."""
    return tuple(
        Drug(
            r["name"],
            r["type"],
            r["action"],
            r["mechanism"],
            tuple(r["targets"].split(";")),
            int(r["year"]) if r["year"] else None,
            int(r["usan"]) if r["usan"] else None,
            r["black_box"] == "1",
            r["withdrawn"] == "1",
            tuple(t for t in r["trades"].split(";") if t),
            tuple(s for s in r["synonyms"].split(";") if s),
            {k: float(v) for k, v in (i.split(":") for i in r["indications"].split())},
        )
        for r in _rows("drugs")
    )


@cache
def omics() -> tuple[tuple[str, str, str, str], ...]:
    """Assays of molecular traits: (name, type, tissue, source)."""
    return tuple((r["omic"], r["type"], r["tissue"], r["source"]) for r in _rows("omics"))
