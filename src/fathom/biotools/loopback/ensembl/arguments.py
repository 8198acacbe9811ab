"""The species, genes, regions and populations that requests to Ensembl name."""

import re
from collections.abc import Mapping

from fathom.biotools.catalogue.names import Species, populations
from fathom.biotools.loopback.refusal import ServiceRefused
from fathom.biotools.loopback.world import SampleGene, gene_of_id, gene_of_symbol, species_named

Arguments = Mapping[str, str]


def species_of(arguments: Arguments) -> Species:
    """The species of a request. Refuses unknown ones as the service does."""
    found = species_named(arguments["species"])
    if found is None:
        raise ServiceRefused(
            400, {"error": f"Can not find internal name for species '{arguments['species']}'"}
        )
    return found


def gene_of(arguments: Arguments) -> SampleGene:
    """The gene that an identifier or a symbol names. Refuses identifiers of nothing."""
    if "symbol" in arguments or "gene" in arguments:
        given = arguments.get("symbol") or arguments["gene"]
        return gene_of_id(given) or gene_of_symbol(species_of(arguments), given)
    found = gene_of_id(arguments["id"])
    if found is None:
        raise ServiceRefused(400, {"error": f"ID '{arguments['id']}' not found"})
    return found


def region_of(arguments: Arguments) -> tuple[str, int, int]:
    """Name, start and end of a region; a span within a transcript has no name."""
    name, positions, *_ = (
        arguments["region"].split(":") if ":" in arguments["region"] else ("", arguments["region"])
    )
    start, end = (int(p) for p in re.split(r"-|\.\.", positions))
    return name, start, end


def population_of(arguments: Arguments) -> str:
    """The population of a request. Refuses unknown ones."""
    name = arguments["population_name"]
    if name not in populations():
        raise ServiceRefused(
            400, {"error": f"Could not fetch population object for population name: [{name}]"}
        )
    return name
