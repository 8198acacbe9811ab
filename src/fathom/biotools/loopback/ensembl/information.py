"""Ensembl's answers about itself: genomes, assemblies, vocabularies, ontologies, taxa."""

import re
from collections.abc import Callable
from typing import Any

from fathom.biotools.catalogue.names import Species, all_species
from fathom.biotools.loopback.ensembl.arguments import Arguments, species_of
from fathom.biotools.loopback.refusal import ServiceRefused
from fathom.biotools.loopback.world import DISORDERS, dice, taxon


def term_of(identifier: str) -> dict[str, Any]:
    """An ontology term."""
    roll = dice("term", identifier)
    return {"accession": identifier, "name": f"{roll.choice(DISORDERS).lower()} process", "ontology": identifier.split(":", maxsplit=1)[0],
            "namespace": "biological_process", "definition": f"A made term, number {identifier}.", "synonyms": [], "subsets": []}  # fmt: skip


def terms_of(arguments: Arguments) -> list[Any]:
    """Terms that are related to a term."""
    prefix, number = arguments["id"].split(":")
    roll = dice("terms", arguments["id"])
    return [
        term_of(f"{prefix}:{roll.randrange(10 ** len(number)):0{len(number)}d}")
        for _ in range(roll.randrange(3, 12))
    ]


def taxonomy_of(arguments: Arguments) -> dict[str, Any]:
    """A taxonomy node, by number or scientific name. Refuses unknown names."""
    given = arguments["id"]
    by_name = {s.scientific.lower(): s.taxon for s in all_species().values()}
    number = int(given) if given.isdigit() else by_name.get(given.lower(), 0)
    if number == 0:
        raise ServiceRefused(400, {"error": f"No taxon found for {given}"})
    told = taxon(number)
    return {"id": str(number), "scientific_name": told["scientificName"], "name": told["scientificName"], "leaf": "1",
            "tags": {"common name": [told["commonName"]], "scientific name": [told["scientificName"]]}, "children": [], "parent": {"id": "40674"}}  # fmt: skip


def lineage_of(arguments: Arguments) -> list[Any]:
    """The nodes above a taxon."""
    told = taxonomy_of(arguments)
    line = taxon(int(told["id"]))["lineage"]
    return [{"id": str(n + 1), "scientific_name": name, "name": name, "leaf": "0", "tags": {"scientific name": [name]}}
            for n, name in enumerate(line[1:])]  # type: ignore[index]  # fmt: skip


def taxa_named(arguments: Arguments) -> list[Any]:
    """Taxonomy nodes whose names match, % standing for anything."""
    wanted = re.compile(re.escape(arguments["name"]).replace("%", ".*"), re.IGNORECASE)
    found = [s for s in all_species().values() if any(wanted.fullmatch(n) for n in (s.scientific, *s.said))]
    if not found:
        raise ServiceRefused(400, {"error": f"No taxons found with the name {arguments['name']}"})
    return [taxonomy_of({"id": str(s.taxon)}) for s in found]


def _genome(species: Species) -> dict[str, Any]:
    return {"name": species.name, "scientific_name": species.scientific, "display_name": species.said[0].capitalize(),
            "division": species.division, "taxonomy_id": species.taxon, "species_taxonomy_id": species.taxon,
            "assembly_name": species.assembly, "assembly_accession": f"GCA_{species.taxon:09d}.1", "genebuild": "2023-04",
            "has_variations": 1, "has_other_alignments": 1, "organism": {"name": species.name}}  # fmt: skip


def genomes(arguments: Arguments) -> Any:
    """Genomes by name, division, taxon, accession or assembly."""
    wanted = arguments.get("division")
    if "name" in arguments:
        return _genome(species_of({"species": arguments["name"]}))
    if wanted:
        return [_genome(s) for s in all_species().values() if s.division == wanted]
    if named := arguments.get("taxon_name"):
        return [
            _genome(s)
            for s in all_species().values()
            if named.lower() in {s.scientific.lower(), str(s.taxon)}
        ]
    key = arguments.get("accession") or arguments["assembly_id"]
    found = _genome(dice("genome", key).choice(list(all_species().values())))
    return found if "assembly_id" in arguments else [found]


def all_genomes(arguments: Arguments) -> dict[str, Any]:
    """The species of a division."""
    wanted = arguments.get("division", "EnsemblVertebrates")
    return {"species": [{"name": s.name, "common_name": s.said[0], "display_name": s.said[0].capitalize(), "taxon_id": str(s.taxon), "strain": None,
                         "assembly": s.assembly, "accession": f"GCA_{s.taxon:09d}.1", "division": s.division, "release": 113,
                         "aliases": list(s.said), "groups": ["core", "variation"], "strain_collection": None}
                        for s in all_species().values() if s.division == wanted]}  # fmt: skip


def assembly_of(arguments: Arguments) -> dict[str, Any]:
    """The assembly of a species, or one sequence of it."""
    species = species_of(arguments)
    rows = [{"name": n, "length": dice(species.name, n).randrange(10**7, 2 * 10**8), "coord_system": "chromosome"}
            for n in [*map(str, range(1, 20)), "X", "MT"]]  # fmt: skip
    if name := arguments.get("region_name"):
        found = next((r for r in rows if r["name"] == name), None)
        if found is None:
            raise ServiceRefused(400, {"error": f"No region found for {name}"})
        return {
            **found,
            "assembly_name": species.assembly,
            "is_chromosome": 1,
            "assembly_exception_type": "REF",
        }
    return {"assembly_name": species.assembly, "assembly_accession": f"GCA_{species.taxon:09d}.1", "assembly_date": "2020-01", "karyotype":
            [r["name"] for r in rows], "top_level_region": rows, "coord_system_versions": [species.assembly],
            "default_coord_system_version": species.assembly, "genebuild_last_geneset_update": "2023-04"}  # fmt: skip


def vocabulary(*names: str, of: str) -> Callable[[Arguments], list[Any]]:
    """Fixed vocabularies: rows with a name and what kind of thing it is, filtered as asked."""

    def build(arguments: Arguments) -> list[Any]:
        if "species" in arguments:
            species_of(arguments)
        wanted = arguments.get("filter", "").replace("%", "").lower()
        return [
            {"name": n, of: n, "description": f"{of} {n}"}
            for n in names
            if wanted in n.lower() or wanted == "ld"
        ]

    return build


def biotypes(arguments: Arguments) -> list[Any]:
    """Biotypes by species, group or name."""
    rows = [(n, g, o) for n, g in (("protein_coding", "coding"), ("lncRNA", "lnoncoding"), ("miRNA", "snoncoding"), ("snoRNA", "snoncoding"),
                                   ("processed_pseudogene", "pseudogene")) for o in ("gene", "transcript")]  # fmt: skip
    wanted = arguments.get("group"), arguments.get("name"), arguments.get("object_type")
    found = [{"name": n, "biotype_group": g, "object_type": o, "so_acc": "SO:0001217"} for n, g, o in rows
             if wanted[0] in {None, g} and wanted[1] in {None, n} and wanted[2] in {None, o}]  # fmt: skip
    if "species" in arguments:
        species_of(arguments)
        return [
            {"biotype": n, "groups": ["core"], "objects": ["gene", "transcript"]}
            for n, _, o in rows
            if o == "gene"
        ]
    return found


def methods(arguments: Arguments) -> dict[str, Any]:
    """Comparative methods by class."""
    held = {
        "GenomicAlign": ["EPO", "LASTZ_NET", "PECAN"],
        "Homology": ["ENSEMBL_ORTHOLOGUES", "ENSEMBL_PARALOGUES"],
    }
    wanted = arguments.get("class", "")
    return {k: v for k, v in held.items() if wanted.lower() in k.lower()}


def species_sets(arguments: Arguments) -> list[Any]:
    """Species sets of a comparative method."""
    names = ("mammals", "primates", "sauropsids", "fish", "murinae")
    return [{"name": f"{n.capitalize()} {arguments['method']}", "method": arguments["method"], "species_set_group": n, "species_set":
             [s.name for s in list(all_species().values())[:5]]} for n in names]  # fmt: skip


def matrix_of(arguments: Arguments) -> dict[str, Any]:
    """A binding matrix of eight positions."""
    species_of(arguments)
    roll = dice("matrix", arguments["binding_matrix_stable_id"])
    counts = {str(p): {b: roll.randrange(500) for b in "ACGT"} for p in range(1, 9)}
    return {"stable_id": arguments["binding_matrix_stable_id"], "name": "TFAP2A_HOXB2", "source": "SELEX", "length": 8, "threshold": 4.4,
            "unit": arguments.get("unit", "frequencies"), "elements": counts, "associated_transcription_factor_complexes": ["HOXB2::TFAP2A"],
            "elements_string": "", "max_position_sum": 900}  # fmt: skip
