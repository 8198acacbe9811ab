"""Entities in a question: identifiers, places, species and the like, by pattern and by the tables of
names."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from fathom.biotools.catalogue import names

STRONG = frozenset(
    "sequence hgvs region position population gene_tree ensembl_gene ensembl_transcript ensembl_protein ensembl_exon matrix "
    "variant upi uniref proteome keyword disease location database_id unirule arba citation pmcid pmid ontology genome_accession "
    "md5 uniprot accession citation_string assembly division taxon chromosome callset ga4gh_variant ids star_allele".split()
)
"""Kinds that an endpoint must have a use for, when a question names one."""


@dataclass(frozen=True, slots=True)
class Entity:
    """A stretch of a question and what it names. `text` is the part that is the argument."""

    kind: str
    start: int
    end: int
    text: str


_PATTERNS = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        ("citation_string", r"(?P<it>[\w.][\w. ]*(?:\|[^|?]*){5}\|)"),
        ("sequence", r"(?P<it>>[^\n]*\n[A-Za-z*\n]{11,}|(?<![A-Za-z])[A-Z]{25,})"),
        ("population", r"(?P<it>(?:1000GENOMES|CSHL-HAPMAP|NextGen)(?::[\w\-]+)+)"),
        ("hgvs", r"(?P<it>[\w.()\-]+:[gcmnpr]\.[^\s,;?]*[^\s,;?.]|NC_\d+\.\d+:\d+:[ACGT]*:[ACGT]*)"),
        ("ga4gh_variant", r"\b(?P<it>\d+:rs\d+)\b"),
        ("callset", r"\b(?P<it>\d+:(?:HG|NA)\d+)\b"),
        ("region", r"(?P<it>\b(?i:chr(?:omosome)?[\s_]?)?[A-Za-z0-9_.]+:\d[\d,]*\s?(?:-|–|\.\.|\bto\b)\s?\d(?:[\d,]*\d)?(?::-?1\b)?)"),
        ("position", r"\b(?i:chr(?:omosome)?\s?)?(?P<it>(?:\d{1,2}|X|Y|MT):\d[\d,]+\d)\b"),
        ("gene_tree", r"\b(?P<it>(?i:ENSGT)\d{11,14})\b"),
        ("matrix", r"\b(?P<it>(?i:ENSPFM)\d{4})\b"),
        *(
            (f"ensembl_{name}", rf"\b(?P<it>(?i:ENS[A-Z]{{0,6}}{letter})\d{{11}}(?:\.\d+)?)\b")
            for letter, name in (("G", "gene"), ("T", "transcript"), ("P", "protein"), ("E", "exon"))
        ),
        ("variant", r"\b(?P<it>(?i:rs|ss)[\s#]?\d{3,}|COS[MVN]\d+)\b"),
        ("upi", r"\b(?P<it>(?i:UPI)[0-9A-Fa-f]{10})\b"),
        ("uniref", r"\b(?P<it>(?i:uniref)(?:100|90|50)_[\w\-]+)\b"),
        ("proteome", r"\b(?P<it>UP\d{9})\b"),
        ("keyword", r"\b(?P<it>(?i:KW)-\d{4})\b"),
        ("disease", r"\b(?P<it>(?i:DI)-\d{5})\b"),
        ("location", r"\b(?P<it>(?i:SL)-\d{4})\b"),
        ("database_id", r"\b(?P<it>(?i:DB)-\d{4})\b"),
        ("unirule", r"\b(?P<it>UR\d{9}|MF_\d{5}|PIRSR\d+(?:-\d+)?|PIRNR\d+|P?RU\d{5,6})\b"),
        ("arba", r"\b(?P<it>(?i:ARBA)\d{8})\b"),
        ("citation", r"\b(?P<it>CI-\w{6,13}|IND\d{4,})\b"),
        ("pmcid", r"\b(?P<it>(?i:PMC)\s?\d{4,})\b"),
        ("pmid", r"(?i:\b(?:PMID|pubmed(?:\s(?:id|article|paper|record))?|paper|publication|citation))\s*:?\s*#?(?P<it>\d{4,9})\b"),
        ("ontology", r"\b(?P<it>(?i:GO|EFO|SO|HP|MONDO|DOID|CHEBI|MP|OBA|ORPHANET)[:_]\d{4,8})\b"),
        ("genome_accession", r"\b(?P<it>GC[AF]_\d{9}(?:\.\d+)?)\b"),
        ("md5", r"\b(?P<it>[0-9a-f]{32})\b"),
        ("uniprot", r"\b(?P<it>(?:[OPQ][0-9][A-Z0-9]{3}[0-9]|[A-NR-Z](?:[0-9][A-Z][A-Z0-9]{2}){1,2}[0-9])(?:-\d{1,2})?)\b"),
        ("accession", r"\b(?P<it>(?:[NXWYA][A-Z])_\d{5,}(?:\.\d+)?|[A-Z]{1,2}\d{5,6}(?:\.\d+)?|[A-Z]{4}\d{8,}(?:\.\d+)?)\b"),
        ("taxon", r"(?i:\b(?:taxon(?:omy)?|tax\s?id|organism)\s*(?:id(?:entifier)?|number|node)?)\s*:?\s*(?P<it>\d{2,8})\b"),
        ("division", r"\b(?P<it>Ensembl\s?(?:Vertebrates|Plants|Fungi|Metazoa|Protists|Bacteria))\b"),
        ("chromosome", r"(?i:\bchromosome)\s(?P<it>\d{1,2}|[XYWZ]|MT)\b"),
        ("method", r"\b(?P<it>EPO(?:_EXTENDED)?|PECAN|LASTZ_NET|BLASTZ_NET|TRANSLATED_BLAT_NET|CACTUS_HAL(?:_PW)?|CACTUS_DB)\b"),
        ("set_name", r"\bset\s(?:record\s)?(?:of\s|called\s|is\s)*(?P<it>[A-Z][a-z]\w+)\b"),
        ("change", r"(?P<it>\b[ACGT]{1,20}>[ACGT]{1,20})\b"),
        ("biotype", r"\b(?P<it>protein_coding|lncRNA|miRNA|snoRNA|snRNA|rRNA|processed_pseudogene|nonsense_mediated_decay)\b"),
        ("star_allele", r"\b(?P<it>(?:HLA-)?[A-Z][A-Z0-9]*\*\d+[A-Z]?(?::\d+)*)"),
        ("quoted", r"[\"“](?P<it>[^\"”]{2,200})[\"”]"),
        # A single quote opens after a space and closes before one: neither an apostrophe nor 5' does both.
        ("quoted", r"(?<![^\s(\[])['‘](?P<it>(?=\S)(?:[^'’]|['’](?=\w)){2,200})['’](?!\w)"),
    )
)  # fmt: skip

_LATER = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        ("allele", r"(?i:\b(?:to|allele|alleles|base|of|from|by|a|an|in))\s(?P<it>[ACGT]{1,20}|DUP|DEL|INS)\b(?!\w)"),
        ("span", r"\b(?P<it>\d[\d,]*\s?(?:-|–|\.\.|\bto\b)\s?\d(?:[\d,]*\d)?)\b"),
        ("ids", r"\b(?P<it>\d{3,}(?:\s?,\s?\d{3,})*)\b"),
        ("number", r"(?P<it>(?<![\w.])\d+(?:\.\d+)?(?![\w]))"),
        ("symbol", r"\b(?P<it>[A-Z][A-Za-z0-9]*\d[\w.]*(?:-[\w.]*\w)?|[A-Z]{2,}[A-Z0-9]*(?:-[A-Z0-9]+)*|[A-Z][a-z]{1,4}\d+[a-z]?)\b"),
    )
)  # fmt: skip

_NO_SYMBOL = frozenset(
    "DNA RNA CDNA CDS GO LD VEP NCBI SNP SNPS GI ID IDS EFO SO HGVS SPDI FASTA BLAST ARBA CAFE GA4GH EC PMID PMC UTR MT US UK INSDC "
    "OMIM GEO SRA MHC API XML JSON PDB EBI HGNC PTM CADD MANE REVEL TSL UNIPROT AND OR NOT II III IV EPO PECAN LASTZ NET GPCR ATP".split()
)


_LEAD = re.compile(
    r"[^|]*\b(?:of|for|citation|string|to|is|match|article|paper|pubmed)\s+(?=[^|]+\|)", re.IGNORECASE
)
"""Words of a question that lead to a citation string, whose journal may be several words itself."""


def find_entities(question: str) -> tuple[Entity, ...]:
    """Everything that a question names, in its order; stretches don't overlap, and identifiers come first."""
    taken: list[Entity] = []
    for found in (_matched(question, _PATTERNS), _said(question), _matched(question, _LATER)):
        for entity in found:
            if all(entity.end <= other.start or entity.start >= other.end for other in taken):
                taken.append(entity)
    return tuple(sorted(taken, key=lambda e: e.start))


def _matched(question: str, patterns: tuple[tuple[str, re.Pattern[str]], ...]) -> Iterator[Entity]:
    for kind, pattern in patterns:
        for found in pattern.finditer(question):
            text = found["it"].strip()
            start = found.start("it")
            if kind == "citation_string" and (lead := _LEAD.match(text)):
                start, text = start + lead.end(), text[lead.end() :]
            if kind != "symbol" or text.upper() not in _NO_SYMBOL:
                yield Entity(kind, start, found.end("it"), text)


@cache
def _names_said() -> tuple[re.Pattern[str], Mapping[str, str]]:
    """One pattern of every name in the tables, longer ones first, and the kind of each in lower case."""
    said = dict.fromkeys(names.species_said(), "species")
    said |= {name: "population" for name in names.populations_said() if len(name) > 2}
    said |= {name.lower(): "assembly" for name in _assemblies()}
    said |= dict.fromkeys(_ENTREZ, "entrez")
    longest_first = "|".join(re.escape(name) for name in sorted(said, key=lambda name: -len(name)))
    pattern = re.compile(rf"(?<![\w])(?:{longest_first})(?![\w])", re.IGNORECASE)
    return pattern, {name.lower(): kind for name, kind in said.items()}


_ENTREZ = "nuccore,clinvar,dbsnp,omim,bioproject,biosample,medgen,sra,dbvar,gds,geo datasets,pmc,mesh,pccompound,nlmcatalog".split(
    ","
)
"""Entrez databases whose names mean nothing else; others are found where an endpoint takes one."""


def _assemblies() -> tuple[str, ...]:
    own = (s.assembly for s in names.all_species().values() if len(s.assembly) > 5)
    return (*names.ASSEMBLIES, *names.ASSEMBLIES.values(), *own)


def _said(question: str) -> Iterator[Entity]:
    pattern, kinds = _names_said()
    for found in pattern.finditer(question):
        text = found[0]
        kind = kinds[text.lower()]
        # Codes of populations, such as CEU, are capitals; "cat" in lower case is the animal.
        if kind == "population" and len(text) == 3 and not text.isupper():
            continue
        yield Entity(kind, found.start(), found.end(), text)
