"""Sorts of identifiers and names: how each is brought into the form its API wants, or refused.

A normaliser takes the text given and the other arguments of the call, and returns the API's form. It
raises `ValueError` with what is allowed and the nearest match. The pattern of a parameter is checked after.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from fathom.biotools.catalogue import names
from fathom.errors import did_you_mean

Normaliser = Callable[[str, Mapping[str, Any]], str]

GENOME_NAME = re.compile(r"[a-z0-9]+(_[a-z0-9.\-]+)+")
_SEPARATED = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_REGION = re.compile(
    r"(?:chr(?:om(?:osome)?)?[\s_]*)?(?P<name>[A-Za-z0-9_.\-]+?)\s*:\s*(?P<start>\d+)"
    r"(?:\s*(?:-|–|\.\.|:|to)\s*(?P<end>\d+))?(?:\s*:\s*(?P<strand>-?1))?",
    re.IGNORECASE,
)
_SPAN = re.compile(r"(\d+)\s*(?:-|–|\.\.|to)\s*(\d+)")
_RESIDUES = re.compile(r"[A-Za-z*\-]+")


def species(value: str, _: Mapping[str, Any]) -> str:
    """A genome's production name; names that look like one pass, since Ensembl has far more than we list."""
    said = re.sub(r"\s+", " ", value.strip().lower())
    if found := names.species_said().get(said) or names.species_said().get(said.removeprefix("the ")):
        return found.name
    if said.isdigit() and (found := names.species_by_taxon().get(int(said))):
        return found.name
    if GENOME_NAME.fullmatch(production := said.replace(" ", "_")):
        return production
    raise ValueError(
        f"no species is called {value!r}.{did_you_mean(said, sorted(names.species_said()), shown=6)}"
        " Scientific names such as 'capra hircus' work too."
    )


def taxon(value: str, _: Mapping[str, Any]) -> str:
    """An NCBI taxon number, from a number or a species' name."""
    said = re.sub(r"^(ncbi\s*)?tax(on|id|onomy)?(\s*id)?[:\s]*", "", value.strip().lower())
    if said.isdigit():
        return str(int(said))
    found = names.species_said().get(said)
    if found is None:
        near = did_you_mean(said, sorted(names.species_said()), shown=4)
        raise ValueError(f"{value!r} is not a taxon number, nor a species known here.{near}")
    return str(found.taxon)


def taxa(value: str, others: Mapping[str, Any]) -> str:
    """Taxon numbers, comma separated."""
    return ",".join(taxon(one, others) for one in value.split(","))


def taxon_or_name(value: str, _: Mapping[str, Any]) -> str:
    """A taxon number or a scientific name; a common name becomes the number."""
    said = value.strip()
    found = names.species_said().get(said.lower())
    return str(found.taxon) if found and said.lower() != found.scientific.lower() else said


def region(value: str, _: Mapping[str, Any]) -> str:
    """ "chr7:140,424,943-140,624,564" becomes "7:140424943-140624564"; a strand stays."""
    found = _REGION.fullmatch(_SEPARATED.sub("", value.strip()))
    if found is None:
        raise ValueError(f"{value!r} is not a region. Write it like '7:140424943-140624564'.")
    name = found["name"]
    name = "MT" if name.upper() in {"M", "MT"} else name.upper() if name.lower() in {"x", "y"} else name
    strand = f":{found['strand']}" if found["strand"] else ""
    return f"{name}:{found['start']}-{found['end'] or found['start']}{strand}"


def span(value: str, _: Mapping[str, Any]) -> str:
    """Positions inside a transcript or protein: "100 to 300" becomes "100..300"."""
    found = _SPAN.fullmatch(_SEPARATED.sub("", value.strip()))
    if found is None:
        raise ValueError(f"{value!r} is not a span of positions. Write it like '100..300'.")
    return f"{found[1]}..{found[2]}"


def population(value: str, _: Mapping[str, Any]) -> str:
    """A population's full name, from its code or what people call it."""
    said = re.sub(r"\s+", " ", value.strip())
    known = names.populations_said()
    bare = re.sub(r"^(1000 genomes( project)?( phase 3)?|the)\s+(?=\S)", "", said.lower())
    bare = re.sub(r"\s+(population|populations|panel|cohort|individuals|samples)$", "", bare)
    for form in (said.lower(), said.upper(), bare, bare.upper()):
        if form in known:
            return known[form]
    if ":" in said:
        return said
    near = did_you_mean(bare, sorted(known), shown=6)
    raise ValueError(f"no population is called {value!r}.{near} The full name has the project in front.")


def assembly(value: str, _: Mapping[str, Any]) -> str:
    """An assembly's name; the browsers' short names (hg19) become the official ones."""
    said = value.strip()
    if found := names.ASSEMBLIES.get(said.lower()):
        return found
    official = {n.lower(): n for n in (*names.ASSEMBLIES.values(), *_assemblies())}
    return official.get(said.lower(), said)


def _assemblies() -> tuple[str, ...]:
    return tuple(s.assembly for s in names.all_species().values())


def symbol(value: str, others: Mapping[str, Any]) -> str:
    """A gene symbol; one typed in lower case gets the case its species uses (BRCA2, Brca2, brca2)."""
    said = value.strip()
    if not said.islower():
        return said
    name = str(others.get("species", "homo_sapiens"))
    if name in {"mus_musculus", "rattus_norvegicus", "mouse", "rat"}:
        return said.capitalize()
    if name in {"danio_rerio", "xenopus_tropicalis", "zebrafish", "frog"}:
        return said
    return said.upper()


def ensembl_id(value: str, _: Mapping[str, Any]) -> str:
    """An Ensembl stable identifier in capitals, its version kept."""
    said = value.strip()
    return said.upper() if said[:3].lower() == "ens" else said


def code(value: str, _: Mapping[str, Any]) -> str:
    """An identifier in capitals; UniRef keeps its mixed case."""
    said = value.strip()
    if found := re.fullmatch(r"uniref\s?(100|90|50)[_\s](\S+)", said, re.IGNORECASE):
        return f"UniRef{found[1]}_{found[2].upper()}"
    return said.upper()


def variant(value: str, _: Mapping[str, Any]) -> str:
    """A variant's name: "RS 699" becomes "rs699", COSMIC identifiers get capitals."""
    said = value.strip()
    if found := re.fullmatch(r"(rs|ss)[\s#]?(\d+)", said, re.IGNORECASE):
        return found[1].lower() + found[2]
    return said.upper() if said[:3].lower() == "cos" else said


def hgvs(value: str, _: Mapping[str, Any]) -> str:
    """HGVS notation without spaces; "chr9:g." becomes "9:g."."""
    said = re.sub(r"\s+", "", value)
    return re.sub(r"^chr(?=[0-9XYM]+T?:)", "", said, flags=re.IGNORECASE)


def variant_or_hgvs(value: str, others: Mapping[str, Any]) -> str:
    """Either a variant's name or HGVS."""
    return hgvs(value, others) if ":" in value else variant(value, others)


def ontology_term(value: str, _: Mapping[str, Any]) -> str:
    """An ontology accession with a colon and its prefix in capitals: "go_0005667" becomes "GO:0005667"."""
    found = re.fullmatch(r"([A-Za-z]+)\s*[:_]\s*(\d+)", value.strip())
    return f"{found[1].upper()}:{found[2]}" if found else value.strip()


def pmid(value: str, _: Mapping[str, Any]) -> str:
    """A PubMed number, without its prefix."""
    return re.sub(r"^(pubmed|pmid)\s*(id)?[:\s]*", "", value.strip(), flags=re.IGNORECASE)


def pmcid(value: str, _: Mapping[str, Any]) -> str:
    """A PubMed Central number, with its prefix."""
    said = re.sub(r"^pmc(id)?[:\s]*(pmc)?", "", value.strip(), flags=re.IGNORECASE)
    return f"PMC{said}"


def citation(value: str, others: Mapping[str, Any]) -> str:
    """A PubMed number, or UniProt's own number for a citation."""
    return pmid(value, others) if value.strip()[:1] in "pP" else value.strip()


def division(value: str, _: Mapping[str, Any]) -> str:
    """A division of Ensembl, from its name or the kingdom people say."""
    said = value.strip().lower()
    for name, told in names.DIVISIONS.items():
        if said in {name.lower(), *told, *(f"ensembl {one}" for one in told)}:
            return name
    return value.strip()


def database(kind: str) -> Normaliser:
    """The normaliser for names of Entrez or BLAST databases."""

    def normalise(value: str, _: Mapping[str, Any]) -> str:
        said = re.sub(r"\s+", " ", value.strip().lower())
        return names.databases_said(kind).get(said, value.strip())

    return normalise


def blast_program(value: str, _: Mapping[str, Any]) -> str:
    """A BLAST program, lower case, without a hyphen."""
    return value.strip().lower().replace("-", "")


def sequence(value: str, _: Mapping[str, Any]) -> str:
    """A sequence, bare or as FASTA, or an accession; spaces inside a sequence go."""
    said = value.strip()
    if said.startswith(">"):
        header, _newline, body = said.partition("\n")
        residues = re.sub(r"\s", "", body)
        if not _RESIDUES.fullmatch(residues):
            raise ValueError("the FASTA text has no sequence below its first line.")
        return f"{header}\n{residues.upper()}\n"
    residues = re.sub(r"\s", "", said)
    if _RESIDUES.fullmatch(residues) and len(residues) >= 11:
        return residues.upper()
    if re.fullmatch(r"[A-Z]{1,6}_?\d+(\.\d+)?", residues):
        return residues
    raise ValueError(
        "give a sequence of at least 11 letters, FASTA text, or an accession such as NP_001098858.1."
    )


def bases(value: str, _: Mapping[str, Any]) -> str:
    """An allele in capitals."""
    return value.strip().upper()


def free_text(value: str, _: Mapping[str, Any]) -> str:
    """Text as it is, without spaces around it."""
    return value.strip()


KINDS: Mapping[str, Normaliser] = {
    "assembly": assembly,
    "bases": bases,
    "blast_database": database("blast"),
    "blast_program": blast_program,
    "citation": citation,
    "code": code,
    "division": division,
    "ensembl_id": ensembl_id,
    "entrez_database": database("entrez"),
    "hgvs": hgvs,
    "ontology_term": ontology_term,
    "pmcid": pmcid,
    "pmid": pmid,
    "population": population,
    "region": region,
    "sequence": sequence,
    "span": span,
    "species": species,
    "symbol": symbol,
    "taxa": taxa,
    "taxon": taxon,
    "taxon_or_name": taxon_or_name,
    "uniprot_accession": code,
    "uniprot_query": free_text,
    "variant": variant,
    "variant_or_hgvs": variant_or_hgvs,
}
"""Normalisers by the `kind` of a parameter."""


def is_nucleotide(residues: str) -> bool:
    """True if a sequence reads as DNA or RNA rather than protein (nine in ten letters are bases)."""
    letters = re.sub(r"^>.*\n|\s", "", residues).upper()
    return bool(letters) and sum(c in "ACGTUN" for c in letters) >= 0.9 * len(letters)
