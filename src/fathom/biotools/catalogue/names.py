"""From what people say to what the APIs want: species, taxa, populations, databases, assemblies.

The tables are the package's `.tsv` files: one name of an API per line, and what people say for it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

ASSEMBLIES = {
    "hg18": "NCBI36",
    "hg19": "GRCh37",
    "hg38": "GRCh38",
    "build 36": "NCBI36",
    "build 37": "GRCh37",
    "build 38": "GRCh38",
    "mm9": "NCBIM37",
    "mm10": "GRCm38",
    "mm39": "GRCm39",
}
DIVISIONS = {
    "EnsemblVertebrates": ("vertebrates", "vertebrate", "animals"),
    "EnsemblPlants": ("plants", "plant"),
    "EnsemblFungi": ("fungi", "fungal", "fungus"),
    "EnsemblMetazoa": ("metazoa", "invertebrates", "metazoan"),
    "EnsemblProtists": ("protists", "protist"),
    "EnsemblBacteria": ("bacteria", "bacterial", "prokaryotes"),
}


@dataclass(frozen=True, slots=True)
class Species:
    """A genome of Ensembl. `prefix` starts its stable identifiers; `said` are the names people use."""

    name: str
    taxon: int
    prefix: str
    assembly: str
    division: str
    said: tuple[str, ...]

    @property
    def scientific(self) -> str:
        """Such as "Homo sapiens"."""
        genus, epithet, *_ = self.name.split("_")
        return f"{genus.capitalize()} {epithet}"


def _rows(file: str) -> Iterable[list[str]]:
    text = files(__package__).joinpath(file).read_text(encoding="utf-8")
    return (line.split("\t") for line in text.splitlines() if line and not line.startswith("#"))


@cache
def all_species() -> Mapping[str, Species]:
    """Species by production name."""
    rows = _rows("species.tsv")
    return {
        name: Species(name, int(taxon), prefix, assembly, division, tuple(said.split(",")))
        for name, taxon, prefix, assembly, division, said in rows
    }


@cache
def species_said() -> Mapping[str, Species]:
    """Species by every name people use for them, lower case: common, scientific, production, "H. sapiens"."""
    found: dict[str, Species] = {}
    for species in all_species().values():
        scientific = species.scientific.lower()
        genus, epithet = scientific.split()
        shortened = (f"{genus[0]}. {epithet}", f"{genus[0]} {epithet}")
        production = (species.name, species.name.replace("_", " "))
        for said in (*species.said, scientific, *production, *shortened):
            found.setdefault(said.lower(), species)
    return found


@cache
def species_by_taxon() -> Mapping[int, Species]:
    """Species by NCBI taxon."""
    return {s.taxon: s for s in all_species().values()}


@cache
def species_of_prefix() -> Mapping[str, Species]:
    """Species by the prefix of their Ensembl stable identifiers, such as ENSMUS."""
    return {s.prefix: s for s in all_species().values() if s.prefix.startswith("ENS")}


@cache
def populations() -> tuple[str, ...]:
    """Full names of the populations with linkage data."""
    return tuple(name for name, _ in _rows("populations.tsv"))


@cache
def populations_said() -> Mapping[str, str]:
    """Populations by what people say, lower case, and by their codes in upper case."""
    found: dict[str, str] = {}
    for name, said in _rows("populations.tsv"):
        for one in (name, *said.split(",")):
            found.setdefault(one.lower(), name)
        code = name.rsplit(":", 1)[-1]
        if code.isupper():
            found.setdefault(code, name)
    return found


@dataclass(frozen=True, slots=True)
class SearchedDatabase:
    """A database of Entrez or BLAST; `molecule` is nucleotide, protein, either, or - for any."""

    name: str
    molecule: str
    said: tuple[str, ...]


@cache
def databases(kind: str) -> Mapping[str, SearchedDatabase]:
    """The databases of a kind, "entrez" or "blast", by name."""
    rows = (row for row in _rows("databases.tsv") if row[0] == kind)
    return {
        name: SearchedDatabase(name, molecule, tuple(said.split(","))) for _, name, molecule, said in rows
    }


@cache
def databases_said(kind: str) -> Mapping[str, str]:
    """Names of databases by what people say for them, lower case."""
    found = {name.lower(): name for name in databases(kind)}
    for name, database in databases(kind).items():
        for said in database.said:
            found.setdefault(said.lower(), name)
    return found
