"""Rules for an endpoint's arguments together (arXiv 2605.05758)."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from fathom.biotools.catalogue.endpoints import Endpoint, efetch_views
from fathom.biotools.catalogue.kinds import is_nucleotide
from fathom.biotools.catalogue.names import databases, species_of_prefix

Broken = Iterator[tuple[str, str]]
Arguments = Mapping[str, Any]

_STABLE_ID = re.compile(r"(ENS[A-Z]{0,6}?)(?:G|T|P|E|R)\d{11}(?:\.\d+)?$")

MEGABASE = 1_000_000
LONGEST_REGION = {
    "get_alignment_region": 10 * MEGABASE,
    "get_ld_region": 500_000,
    "get_phenotype_by_region": 5 * MEGABASE,
    "get_sequence_by_region": 10 * MEGABASE,
    "overlap_by_region": 5 * MEGABASE,
}
"""Documented limits, in base pairs."""

_QUERY_MOLECULE = {
    "blastn": "nucleotide",
    "blastp": "protein",
    "blastx": "nucleotide",
    "tblastn": "protein",
    "tblastx": "nucleotide",
}
_DATABASE_MOLECULE = {"blastn": "nucleotide", "blastp": "protein", "blastx": "protein",
                      "tblastn": "nucleotide", "tblastx": "nucleotide"}  # fmt: skip


def broken_rules(endpoint: Endpoint, arguments: Arguments) -> dict[str, str]:
    """The parameters whose values don't go together, and why; empty when all do."""
    found: dict[str, str] = {}
    for rule in (_positions, _same_species, _optional_segments, *_RULES.get(endpoint.name, ())):
        for name, problem in rule(endpoint, arguments):
            found.setdefault(name, problem)
    return found


def _positions(endpoint: Endpoint, arguments: Arguments) -> Broken:
    value = str(arguments.get("region", ""))
    if not value:
        return
    positions = value.split(":")[1] if ":" in value else value
    start, end = (int(one) for one in positions.replace("..", "-").split("-"))
    # An insertion between two bases is written with its start one past its end.
    if start > end + (endpoint.name == "vep_by_region") or start < 1:
        yield "region", f"must start at 1 or later and end where it starts or later; {value!r} doesn't."
    longest = LONGEST_REGION.get(endpoint.name)
    if longest and end - start + 1 > longest:
        yield "region", f"is {end - start + 1:,} bases long; the service takes at most {longest:,}."


def _same_species(_: Endpoint, arguments: Arguments) -> Broken:
    found = _STABLE_ID.match(str(arguments.get("id", arguments.get("gene", ""))))
    species = species_of_prefix().get(found[1]) if found else None
    given = arguments.get("species")
    if species is not None and given is not None and given != species.name:
        yield "species", f"{given!r} doesn't go with {found and found[0]}, which is of {species.name}."


def _optional_segments(endpoint: Endpoint, arguments: Arguments) -> Broken:
    gap = ""
    for name in endpoint.path_names:
        if name not in arguments:
            gap = gap or name
        elif gap:
            yield gap, f"is needed as well where {name} is given."


def _records(_: Endpoint, arguments: Arguments) -> Broken:
    if "id" not in arguments and not {"WebEnv", "query_key"} <= arguments.keys():
        yield "id", "is needed, or a stored result set: WebEnv with query_key."


def _history(_: Endpoint, arguments: Arguments) -> Broken:
    if "query_key" in arguments and "WebEnv" not in arguments:
        yield "WebEnv", "is needed with query_key."


def _dates(_: Endpoint, arguments: Arguments) -> Broken:
    given = {"mindate", "maxdate"} & arguments.keys()
    if len(given) == 1:
        yield "mindate" if "maxdate" in given else "maxdate", "is needed: the dates come in pairs."


def _view(_: Endpoint, arguments: Arguments) -> Broken:
    # Not in the reference table, but for json without a rettype the service answers a text report.
    rettype, retmode = arguments.get("rettype", ""), arguments.get("retmode")
    views = efetch_views(arguments["db"])
    modes = sorted({m for t, m in views if t == rettype})
    if rettype and not modes:
        types = sorted({t for t, _ in views if t})
        yield "rettype", f"{rettype!r} is not served for {arguments['db']}. One of: {', '.join(types)}."
    elif retmode and modes and retmode not in modes and not (retmode == "json" and not rettype):
        yield "retmode", f"{retmode!r} doesn't go with rettype {rettype!r}. One of: {', '.join(modes)}."


def _stretch(_: Endpoint, arguments: Arguments) -> Broken:
    if arguments.get("seq_start", 0) > arguments.get("seq_stop", float("inf")):
        yield "seq_stop", "must not lie before seq_start."


def _molecules(_: Endpoint, arguments: Arguments) -> Broken:
    program, query = arguments["PROGRAM"], arguments["QUERY"]
    database = databases("blast").get(arguments["DATABASE"])
    wanted = _DATABASE_MOLECULE[program]
    if database is not None and database.molecule not in {wanted, "either"}:
        fitting = [d.name for d in databases("blast").values() if d.molecule in {wanted, "either"}]
        yield "DATABASE", f"{program} searches {wanted} databases, such as {', '.join(fitting)}."
    residues = query.partition("\n")[2] if query.startswith(">") else query
    is_sequence = residues.strip().isalpha()
    if is_sequence and is_nucleotide(residues) != (_QUERY_MOLECULE[program] == "nucleotide"):
        fitting = [p for p, m in _QUERY_MOLECULE.items() if m != _QUERY_MOLECULE[program]]
        yield "PROGRAM", f"{program} takes a {_QUERY_MOLECULE[program]} query. Use {' or '.join(fitting)}."
    if "MEGABLAST" in arguments and program != "blastn":
        yield "MEGABLAST", "goes with blastn only."


def _allele(_: Endpoint, arguments: Arguments) -> Broken:
    if "alternateBases" not in arguments and "variantType" not in arguments:
        yield "alternateBases", "is needed, or a variantType."


_RULES: Mapping[str, tuple[Callable[[Endpoint, Arguments], Broken], ...]] = {
    "blast": (_molecules,),
    "efetch": (_records, _view, _stretch),
    "elink": (_records, _dates),
    "esearch": (_history, _dates),
    "esummary": (_records,),
    "get_query_beacon": (_allele,),
}
