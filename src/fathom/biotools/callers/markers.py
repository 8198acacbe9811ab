"""Words without which an endpoint is hardly meant, and the words that optional arguments are asked by."""

import re

from fathom.biotools.catalogue import endpoints

_MARKERS = tuple(
    (re.compile(names), re.compile(words, re.IGNORECASE))
    for names, words in (
        (r"stream_.*", r"\b(?:all|every|each|complete|entire|download|stream|bulk|full set)\b"),
        (r"get_\w+_light", r"\b(?:light|slim|short|brief|without|leave out|only)"),
        (r"get_uniref_members", r"\b(?:members?|belongs?)\b"),
        (r"get_uniparc_databases", r"\bdatabases?\b"),
        (r"\w+_genecentric\w*", r"gene[ -]?(?:centric|groups?)|canonical|(?:share|same) (?:a )?gene|groups?"),
        (r"(?:search|stream)_uniparc", r"uniparc|archive"),
        (r"(?:search|stream)_uniref|get_uniref_\w+", r"uniref|cluster"),
        (r"(?:search|stream)_unirule", r"unirule|curated|annotation rule|\brules?\b"),
        (r"(?:search|stream)_arba", r"arba|machine|automatic"),
        (r"(?:search|stream)_keywords", r"keyword"),
        (r"(?:search|stream)_proteomes", r"proteome"),
        (r"\w*taxonomy_by_id|(?:search|stream)_taxonomy", r"uniprot|protein|mnemonic"),
        (r"get_taxonomy_classification", r"lineage|classif|ranks?\b|clade|root"),
        (r"get_taxonomy_name", r"names?\b|called|named|%"),
        (r"get_cafe_\w+", r"cafe|gains?\b|loss|losses|expan|contract|grow|grew|shrink|size|evolved"),
        (r"get_ga4gh_\w+", r"ga4gh|call ?set|data ?set|feature ?set|reference|variant ?set|annotation set|checksum|md5"),
        (r"get_ontology_ancestors_chart", r"chart|\bmap\b"),
        (r"get_ontology_ancestors\w*", r"ancest|parent|broader|above|up from"),
        (r"get_ontology_descendants", r"descend|child|narrower|below|under|specific"),
        (r"map_cdna_\w+", r"cdna|transcript"),
        (r"map_cds_\w+", r"\bcds\b|coding"),
        (r"get_archive_id", r"archiv|current|retired|replaced|valid|version|latest|newest"),
        (r"get_info_biotypes_groups", r"groups?"),
        (r"get_info_biotypes\w*", r"biotype"),
        (r"get_info_compara\w+", r"compar|species (?:sets?|groups?|collections?)|collections?"),
        (r"get_info_species", r"\bspecies\b"),
        (r"get_info_genomes\w*", r"genome|assembly|species|organism"),
        (r"variant_recoder", r"recod|hgvs|spdi|notation|synonym|other names|equivalent|translate|convert|written"),
        (r"lookup_xref_name", r"external|xref|label"),
        (r"get_phenotype_by_\w+", r"phenotype|trait|disease|annotat|associated|linked|loci"),
        (r"get_homology_\w+", r"homolog|ortholog|paralog"),
        (r"get_(?:genetree|cafe)\w+", r"tree|phylogen|famil|root"),
        (r"get_(?:sequence_by|alignment)\w*", r"sequence|bases?\b|dna|nucleotide|amino|protein|align|\bcds\b"),
        (r"overlap_by_\w+", r"overlap|within|lie|\bin\b|features?"),
        (r"get_transcript_haplotypes", r"haplotype"),
        (r"vep_\w+", r"\bvep\b|consequence|effect|affect|damag|predict|severe|happens|change|annotate|\bdo\b"),
        (r"get_ld_\w+", r"link|\bld\b|\br2\b|D'|together"),
        (r"get_variation_by_\w+", r"variant|snp|mutation"),
        (r"get_variation", r"variant|snp|allele|frequen|known|describe|significance|\bis\b|about"),
        (r"get_query_beacon", r"beacon|observed|seen|exist|known|ever"),
    )
)  # fmt: skip

_OF_PROVIDER = {
    "UniProt": re.compile(r"\b(?:uni ?prot(?:kb)?|swiss-?prot|trembl)\b", re.IGNORECASE),
    "NCBI": re.compile(r"\b(?:ncbi|entrez|genbank)\b", re.IGNORECASE),
    "Ensembl": re.compile(r"\bensembl\b", re.IGNORECASE),
}
PRESENT, ABSENT, ELSEWHERE = 0.08, 0.3, 0.15


def marked(endpoint: str, question: str) -> float:
    """How far a question's words allow an endpoint: more with its markers, less without them, or where the
    question names another provider than its own.
    """
    told = [bool(words.search(question)) for names, words in _MARKERS if names.fullmatch(endpoint)]
    named = {provider for provider, words in _OF_PROVIDER.items() if words.search(question)}
    elsewhere = len(named) == 1 and endpoints()[endpoint].provider not in named
    return sum(PRESENT if here else -ABSENT for here in told) - ELSEWHERE * elsewhere


FEATURES = (
    ("structural_variation", r"structural varia\w+"),
    ("constrained", r"constrained"),
    ("regulatory", r"regulatory"),
    ("repeat", r"repeats?\b|repetitive"),
    ("exon", r"exons?\b"),
    ("cds", r"\bCDS\b"),
    ("band", r"\bbands?\b"),
    ("motif", r"motifs?\b"),
    ("transcript", r"transcripts?\b"),
    ("variation", r"variants?\b|variations?\b|SNPs?\b"),
    ("gene", r"genes?\b"),
)
"""Features by the words for them, the more particular first."""

CUES = (
    ("r2", r"\br(?:2|²|\^2|-squared|\ssquared)\D{0,20}?(\d(?:\.\d+)?)(?![\d.]*\s?kb)"),
    ("d_prime", r"\bD(?:'|′|’|\s?prime)\D{0,20}?(\d(?:\.\d+)?)"),
    ("window_size", r"\bwithin\s+(\d+)\s?(?:kb|kilobases?)"),
    ("external_db", r"\b(HGNC|EntrezGene|MIM_GENE|Reactome|RefSeq_mRNA|UniProtKB)\b"),
    ("group", r"\b(coding|snoncoding|lnoncoding|mnoncoding|pseudogene)\b"),
    ("class", r"\b(GenomicAlign|Homology)\b"),
    ("expand", r"\b(?:with|including|and) (?:all )?(?:its |the |their )?(?:transcripts|exons)\b"),
    ("genotypes", r"\bgenotypes\b"),
    ("pops", r"\b(?:population|allele) frequencies\b"),
    ("mask", r"\b(soft|hard)[ -]?mask"),
)
"""Optional arguments by the words that ask for them; a group is the value, else it is yes."""

TYPES = {
    "get_sequence_by_id": (("cds", r"coding sequence|\bCDS\b"), ("cdna", r"\bcDNA\b"), ("protein", r"protein sequence|amino|peptide")),
    "get_homology": (("", r"ortholog.*paralog|paralog.*ortholog"), ("orthologues", r"ortholog"), ("paralogues", r"paralog")),
    "overlap_translation": tuple((t, rf"\b{t}\b") for t in ("Pfam", "Superfamily", "SMART", "PANTHER", "Gene3D", "SignalP")),
}  # fmt: skip
"""Values of the argument `type` by endpoint (or its beginning)."""


def chosen(choices: tuple[tuple[str, str], ...], question: str) -> str:
    """The first choice whose words the question has."""
    return next((value for value, words in choices if re.search(words, question, re.IGNORECASE)), "")
