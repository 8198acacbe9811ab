"""Bridges: calls that lead from what a question names to what an endpoint takes, as a symbol to an identifier."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fathom.biotools.catalogue.names import Species
from fathom.biotools.observations.parts import at

FEW = 5
"""Records of a search that go on to the next call."""


@dataclass(frozen=True, slots=True)
class Crossing:
    """The crossing of a bridge: the value it takes, whose species it is, and where it leads to."""

    value: str
    species: Species
    other: Species | None = None
    database: str = ""


@dataclass(frozen=True, slots=True)
class Bridge:
    """A call that takes an entity of one kind and gives one of another: `pick` finds it in the answer's JSON."""

    takes: str
    gives: str
    endpoint: str
    arguments: Callable[[Crossing], Mapping[str, Any]]
    pick: Callable[[Any], str | None]


def _symbol(crossing: Crossing) -> dict[str, Any]:
    return {"species": crossing.species.name, "symbol": crossing.value}


def _expanded(crossing: Crossing) -> dict[str, Any]:
    return {**_symbol(crossing), "expand": True}


def _relatives(crossing: Crossing) -> dict[str, Any]:
    assert crossing.other is not None
    return {**_symbol(crossing), "target_species": crossing.other.name, "type": "orthologues"}


def _reviewed(crossing: Crossing) -> dict[str, Any]:
    query = f"gene:{crossing.value} AND organism_id:{crossing.species.taxon} AND reviewed:true"
    return {"query": query, "size": 1}


def _id(crossing: Crossing) -> dict[str, Any]:
    return {"id": crossing.value}


def _cross_reference(crossing: Crossing) -> dict[str, Any]:
    return {"id": crossing.value, "external_db": "Uniprot_gn"}


def _variant(crossing: Crossing) -> dict[str, Any]:
    return {"species": crossing.species.name, "id": crossing.value}


def _of_protein(crossing: Crossing) -> dict[str, Any]:
    return {"query": f"uniprotkb:{crossing.value}", "size": 1}


def _of_organism(crossing: Crossing) -> dict[str, Any]:
    return {"query": f"organism_id:{crossing.species.taxon} AND proteome_type:1", "size": 1}


def _phrase(crossing: Crossing) -> dict[str, Any]:
    return {"query": f'"{crossing.value}"' if " " in crossing.value else crossing.value, "size": 1}


def _name(crossing: Crossing) -> dict[str, Any]:
    return {"name": crossing.value}


def _entrez(crossing: Crossing) -> dict[str, Any]:
    return {"db": crossing.database or "pubmed", "term": crossing.value, "retmax": FEW}


def _entrez_gene(crossing: Crossing) -> dict[str, Any]:
    term = f"{crossing.value}[Gene Name] AND {crossing.species.scientific}[Organism]"
    return {"db": "gene", "term": term, "retmax": 1}


def _at(*steps: str | int) -> Callable[[Any], str | None]:
    """Give a function that picks the text or number at a place of the answer."""

    def pick(body: Any) -> str | None:
        found = at(body, *steps)
        return str(found) if isinstance(found, str | int) and str(found) else None

    return pick


def _place(body: Any) -> str | None:
    name, start, end = (at(body, key) for key in ("seq_region_name", "start", "end"))
    return f"{name}:{start}-{end}" if name and start and end else None


def _canonical(body: Any) -> str | None:
    found = at(body, "canonical_transcript")
    return str(found).partition(".")[0] if found else None


def _canonical_protein(body: Any) -> str | None:
    """The protein of the canonical transcript, or of the first that has one."""
    held = [t for t in at(body, "Transcript") or [] if at(t, "Translation", "id")]
    held.sort(key=lambda t: not at(t, "is_canonical"))
    return str(held[0]["Translation"]["id"]) if held else None


def _listed(body: Any) -> str | None:
    found = at(body, "esearchresult", "idlist")
    return ",".join(map(str, found[:FEW])) if isinstance(found, list) and found else None


def _gene_listed(body: Any) -> str | None:
    rows = body if isinstance(body, list) else []
    return next((str(row["id"]) for row in rows if at(row, "type") == "gene" and at(row, "id")), None)


def _relative(part: str) -> Callable[[Any], str | None]:
    return _at("data", 0, "homologies", 0, "target", part)


BRIDGES = (
    Bridge("symbol", "ensembl_gene", "lookup_by_symbol", _symbol, _at("id")),
    Bridge("symbol", "region", "lookup_by_symbol", _symbol, _place),
    Bridge("symbol", "ensembl_transcript", "lookup_by_symbol", _symbol, _canonical),
    Bridge("symbol", "ensembl_protein", "lookup_by_symbol", _expanded, _canonical_protein),
    Bridge("symbol", "uniprot", "search_uniprotkb", _reviewed, _at("results", 0, "primaryAccession")),
    Bridge("symbol", "ids", "esearch", _entrez_gene, _listed),
    Bridge("orthologue", "ensembl_gene", "get_homology_by_symbol", _relatives, _relative("id")),
    Bridge("orthologue", "ensembl_protein", "get_homology_by_symbol", _relatives, _relative("protein_id")),
    Bridge("ensembl_gene", "region", "lookup_by_id", _id, _place),
    Bridge("ensembl_gene", "ensembl_transcript", "lookup_by_id", _id, _canonical),
    Bridge("ensembl_gene", "uniprot", "get_xrefs_by_id", _cross_reference, _at(0, "primary_id")),
    Bridge("uniprot", "ensembl_gene", "get_xrefs_by_symbol", _symbol, _gene_listed),
    Bridge("uniprot", "upi", "search_uniparc", _of_protein, _at("results", 0, "uniParcId")),
    Bridge("uniprot", "uniref", "search_uniref", _of_protein, _at("results", 0, "id")),
    Bridge("variant", "region", "get_variation", _variant, _at("mappings", 0, "location")),
    Bridge("species", "proteome", "search_proteomes", _of_organism, _at("results", 0, "id")),
    Bridge("text", "ontology", "get_ontology_name", _name, _at(0, "accession")),
    Bridge("text", "disease", "search_human_diseases", _phrase, _at("results", 0, "id")),
    Bridge("text", "keyword", "search_keywords", _phrase, _at("results", 0, "keyword", "id")),
    Bridge("text", "location", "search_subcellular_locations", _phrase, _at("results", 0, "id")),
    Bridge("text", "ids", "esearch", _entrez, _listed),
)


def paths(kind: str, most: int) -> Mapping[str, tuple[Bridge, ...]]:
    """For each kind that a kind leads to over at most so many bridges, the shortest way."""
    found: dict[str, tuple[Bridge, ...]] = {}
    ends: list[tuple[str, tuple[Bridge, ...]]] = [(kind, ())]
    for _ in range(most):
        ends = [(b.gives, (*way, b)) for end, way in ends for b in _from(end)]
        for gives, way in ends:
            if gives != kind:
                found.setdefault(gives, way)
    return found


def _from(kind: str) -> Iterator[Bridge]:
    return (bridge for bridge in BRIDGES if bridge.takes == kind)
