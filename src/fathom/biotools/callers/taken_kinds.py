"""Which kinds of entity each parameter takes: by its kind, its name, or its endpoint."""

from collections.abc import Mapping

from fathom.biotools.catalogue import Endpoint, Parameter

_ENSEMBL = ("ensembl_gene", "ensembl_transcript", "ensembl_protein", "ensembl_exon")
_TAKES: Mapping[str, tuple[str, ...]] = {
    "species": ("species",),
    "region": ("region", "position"),
    "span": ("span",),
    "taxon": ("taxon", "species", "ids"),
    "taxon_or_name": ("taxon", "species", "ids"),
    "population": ("population",),
    "assembly": ("assembly",),
    "symbol": ("symbol",),
    "hgvs": ("hgvs",),
    "variant": ("variant",),
    "variant_or_hgvs": ("variant", "hgvs"),
    "ontology_term": ("ontology",),
    "pmid": ("pmid", "ids"),
    "pmcid": ("pmcid",),
    "citation": ("pmid", "citation", "ids"),
    "division": ("division",),
    "sequence": ("sequence",),
    "uniprot_accession": ("uniprot",),
    "bases": ("allele",),
    "entrez_database": ("entrez",),
}
_TAKES_NAMED: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("efetch", "id"): ("ids", "accession", "uniprot", "pmid"),
    ("esummary", "id"): ("ids", "accession", "pmid"),
    ("elink", "id"): ("ids", "accession", "pmid"),
    ("ecitmatch", "bdata"): ("citation_string",),
    ("get_uniref_by_id", "id"): ("uniref",),
    ("get_uniref_light", "id"): ("uniref",),
    ("get_uniref_members", "id"): ("uniref",),
    ("get_keyword_by_id", "id"): ("keyword",),
    ("get_disease_by_id", "id"): ("disease",),
    ("get_location_by_id", "id"): ("location",),
    ("get_crossref_database_by_id", "id"): ("database_id",),
    ("get_archive_id", "id"): _ENSEMBL,
    ("get_info_assembly_region", "region_name"): ("chromosome",),
    ("get_info_biotypes_name", "name"): ("biotype",),
    ("get_info_genomes", "name"): ("species",),
    ("get_info_genomes_accession", "accession"): ("accession",),
    ("get_info_genomes_taxonomy", "taxon_name"): ("species", "taxon"),
    ("get_phenotype_by_gene", "gene"): ("symbol", "ensembl_gene"),
    ("lookup_xref_name", "name"): ("symbol", "accession", "uniprot"),
    ("get_ga4gh_callsets", "id"): ("callset",),
    ("get_ga4gh_variants", "id"): ("ga4gh_variant", "hgvs"),
    ("get_ga4gh_variantsets", "id"): ("number", "ids"),
    ("get_ga4gh_datasets", "id"): ("md5",),
    ("get_ga4gh_references", "id"): ("md5",),
    ("get_ga4gh_featuresets", "id"): ("set_name",),
    ("get_ga4gh_variantannotationsets", "id"): ("set_name",),
    ("get_info_compara_species_sets", "method"): ("method",),
    ("get_ga4gh_referencesets", "id"): ("assembly",),
    ("get_query_beacon", "referenceName"): ("chromosome",),
}
_BY_NAME: Mapping[str, tuple[str, ...]] = {
    "upi": ("upi",),
    "upid": ("proteome",),
    "uniruleid": ("unirule",),
    "arbaId": ("arba",),
    "assembly_id": ("genome_accession",),
    "binding_matrix_stable_id": ("matrix",),
}


def takes(endpoint: Endpoint, parameter: Parameter) -> tuple[str, ...]:
    """The kinds of entity that a parameter takes."""
    found = _TAKES_NAMED.get((endpoint.name, parameter.name)) or _BY_NAME.get(parameter.name)
    if found:
        return found
    if parameter.kind == "ensembl_id":
        return _ensembl_kinds(parameter.pattern or "")
    return _TAKES.get(parameter.kind or "", ())


def _ensembl_kinds(pattern: str) -> tuple[str, ...]:
    if "ENSGT" in pattern:
        return ("gene_tree",)
    for letter, kind in (("T", "transcript"), ("P", "protein"), ("G", "gene")):
        if f"{{0,6}}{letter}" in pattern:
            return (f"ensembl_{kind}",)
    return _ENSEMBL
