"""The made world that the loopback services tell of: seeded, and the same whichever endpoint tells.

A record follows from its identifier, so that any well-formed identifier has one, and genes, proteins,
variants and taxa refer to each other. Identifiers whose digits are all nines are of nothing.
"""

import random
import re
from dataclasses import dataclass
from functools import cached_property
from zlib import crc32

from fathom.biotools.catalogue.names import Species, all_species, species_by_taxon, species_of_prefix

SYMBOLS = (
    "BRAF BRCA1 BRCA2 TP53 EGFR KRAS MYC PTEN APOE APP INS GAPDH ACTB HBB HBA1 CFTR DMD HTT LRRK2 SNCA PAX6 SOX2 "
    "NANOG CDK1 CDK2 MAP2K3 MAPK1 AKT1 PIK3CA RB1 VHL KIT ALK RET JAK2 STAT3 IL6 TNF CD4 CD8A FOXP3 NOTCH1 WNT1 "
    "SHH FGFR2 FGFR3 COL1A1 FBN1 LDLR PCSK9 MLXIPL AGT ACE TTN MYH7 RYR1 SCN5A KCNQ1 GBA1 PSEN1 MAPT TREM2 NOD2"
).split()
_REAL = {"BRAF": 157764, "BRCA2": 139618, "TP53": 141510, "BRCA1": 12048}
_SPELT = 10**10
"""Gene numbers from here on spell a symbol of up to six characters, after a Z, in base 36."""

_RESIDUES, _BASES = "ACDEFGHIKLMNPQRSTVWY", "ACGT"
_STABLE = re.compile(r"(ENS[A-Z]{0,6}?)(GT|G|T|P|E)(\d{11,14})(?:\.\d+)?")
WORDS = (
    "kinase receptor transporter ligase oxidase binding factor channel helicase protease subunit inhibitor "
    "synthase reductase adaptor scaffold"
).split()
DISORDERS = (
    "Anemia,Cardiomyopathy,Epilepsy,Immunodeficiency,Alzheimer disease,Breast cancer,Retinitis pigmentosa,"
    "Deafness,Diabetes mellitus,Muscular dystrophy,Hypertension,Ataxia"
).split(",")


def dice(*key: object) -> random.Random:
    """Random numbers that follow from a key alone."""
    return random.Random(crc32(repr(key).encode()))


def absent(identifier: str) -> bool:
    """True if the world has nothing of this identifier."""
    digits = re.sub(r"\D", "", identifier.partition(".")[0])
    return (len(digits) >= 4 and set(digits) == {"9"}) or identifier.upper() == "Z9ZZZ9"


def species_named(name: str) -> Species | None:
    """The species of a production name or of a name that Ensembl takes for one, as `human`."""
    found = all_species().get(name)
    known = {s.said[0]: s for s in all_species().values() if s.name != "capra_hircus"}
    return found or known.get(name.lower())


@dataclass(frozen=True)
class SampleGene:
    """A gene with its place and products."""

    species: Species
    number: int

    @cached_property
    def id(self) -> str:
        """Its stable identifier."""
        prefix = self.species.prefix if self.species.prefix.startswith("ENS") else "ENS"
        return f"{prefix}G{self.number:011d}"

    @cached_property
    def symbol(self) -> str:
        """Its symbol."""
        for symbol in SYMBOLS:
            if number_of(self.species, symbol) == self.number:
                return symbol
        return _spelt(self.number) or f"GENE{self.number}"

    @cached_property
    def description(self) -> str:
        """The gene's description, with its source."""
        roll = dice("described", self.symbol)
        return f"{self.symbol} {roll.choice(WORDS)} {roll.choice(WORDS)} [Source:HGNC Symbol;Acc:HGNC:{self.number % 50000}]"

    @cached_property
    def place(self) -> tuple[str, int, int, int]:
        """Chromosome, start, end, strand."""
        roll = dice("placed", self.id)
        start = roll.randrange(1_000_000, 120_000_000)
        return str(roll.randrange(1, 20)), start, start + roll.randrange(2_000, 200_000), roll.choice((1, -1))

    def part(self, kind: str, number: int = 0) -> str:
        """The identifier of the nth transcript (T), protein (P) or exon (E)."""
        return f"{self.id[:-12]}{kind}{(self.number + number) % 10**11:011d}"

    @cached_property
    def accession(self) -> str:
        """Its protein's UniProt accession."""
        roll = dice("accession", self.id)
        middle = "".join(roll.choice("ABCDEFGHKLMN0123456789") for _ in range(3))
        return f"{roll.choice('OPQ')}{roll.randrange(10)}{middle}{roll.randrange(9)}"

    @cached_property
    def transcripts(self) -> int:
        """How many transcripts it has."""
        return dice("transcripts", self.id).randrange(1, 5)


def number_of(species: Species, symbol: str) -> int:
    """The number in the stable identifier of a gene by its symbol."""
    if found := re.fullmatch(r"GENE(\d+)", symbol):
        return int(found[1])
    if species.name == "homo_sapiens" and symbol.upper() in _REAL:
        return _REAL[symbol.upper()]
    if symbol.upper() not in SYMBOLS and re.fullmatch(r"[A-Z0-9]{1,6}", symbol.upper()):
        return _SPELT + int(f"Z{symbol}", 36)
    return crc32(f"{species.name} {symbol.upper()}".encode()) % 90_000 * 10


def _spelt(number: int) -> str:
    """The symbol that a number from `_SPELT` on spells, so that its gene has it at every endpoint."""
    left, said = number - _SPELT, ""
    while left > 0:
        left, digit = divmod(left, 36)
        said = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[digit] + said
    return said[1:] if said.startswith("Z") else ""


def gene_of_symbol(species: Species, symbol: str) -> SampleGene:
    """The gene of a symbol in a species."""
    return SampleGene(species, number_of(species, symbol))


def gene_of_id(identifier: str) -> SampleGene | None:
    """The gene that a stable identifier of a gene, transcript, protein or exon belongs to."""
    found = _STABLE.fullmatch(identifier)
    if found is None or absent(identifier) or found[2] == "GT":
        return None
    species = species_of_prefix().get(found[1])
    return SampleGene(species, int(found[3])) if species else None


def protein(key: str, length: int | None = None) -> str:
    """A protein sequence that follows from a key."""
    roll = dice("protein", key)
    return "M" + "".join(roll.choices(_RESIDUES, k=(length or roll.randrange(80, 400)) - 1))


def dna(key: str, length: int) -> str:
    """A stretch of DNA that follows from a key."""
    return "".join(dice("dna", key).choices(_BASES, k=length))


def taxon(number: int) -> dict[str, object]:
    """Names and lineage of a taxon."""
    species = species_by_taxon().get(number)
    scientific = species.scientific if species else f"Species number{number}"
    return {
        "taxonId": number,
        "scientificName": scientific,
        "commonName": species.said[0].capitalize() if species else f"Creature {number}",
        "mnemonic": (scientific[:3] + scientific.split()[1][:2]).upper(),
        "lineage": [scientific, scientific.split()[0], "Mammalia", "Metazoa", "Eukaryota"],
    }
