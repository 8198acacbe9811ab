"""A stand-in for Ensembl's REST service, in its shapes."""

from collections.abc import Callable, Mapping
from typing import Any

from fathom.biotools.catalogue import Endpoint
from fathom.biotools.loopback.ensembl.arguments import Arguments, gene_of
from fathom.biotools.loopback.ensembl.genes import (
    alignment,
    archived,
    cafe,
    cross_references,
    features,
    gene_tree,
    look_up,
    mapping_of,
    protein_features,
    relatives,
    sequence_of,
)
from fathom.biotools.loopback.ensembl.information import (
    all_genomes,
    assembly_of,
    biotypes,
    genomes,
    lineage_of,
    matrix_of,
    methods,
    species_sets,
    taxa_named,
    taxonomy_of,
    term_of,
    terms_of,
    vocabulary,
)
from fathom.biotools.loopback.ensembl.variation import (
    all_populations,
    beacon_of,
    consequences_of,
    haplotypes_of,
    linkage_around,
    linkage_in_region,
    linkage_pairwise,
    of_paper,
    people_of,
    phenotypes_of,
    recoded,
    record_of,
    variant_of,
)
from fathom.biotools.loopback.refusal import ServiceRefused
from fathom.biotools.loopback.world import absent, dice


def answer(endpoint: Endpoint, arguments: Arguments) -> Any:
    """The body of an answer. Raises `ServiceRefused` as the service would refuse."""
    for name in ("id", "id1", "id2", "accession", "binding_matrix_stable_id", "pmid", "symbol"):
        if name in arguments and absent(arguments[name]):
            raise ServiceRefused(400, {"error": f"ID '{arguments[name]}' not found"})
    return _BUILDERS[endpoint.name](arguments)


_LINKED = ("HGNC", "EntrezGene", "GO", "Uniprot_gn", "RefSeq_mRNA", "MIM_GENE")
_BUILDERS: Mapping[str, Callable[[Arguments], Any]] = {
    "get_archive_id": archived,
    "get_alignment_region": alignment,
    "get_cafe_genetree_by_id": cafe,
    "get_cafe_genetree_by_member_id": cafe,
    "get_cafe_genetree_by_member_symbol": cafe,
    "get_genetree_by_id": gene_tree,
    "get_genetree_member_by_id": gene_tree,
    "get_genetree_member_by_symbol": gene_tree,
    "get_homology_by_id": relatives,
    "get_homology_by_symbol": relatives,
    "get_xrefs_by_id": cross_references,
    "get_xrefs_by_symbol": lambda a: [{"type": "gene", "id": gene_of(a).id}, {"type": "transcript", "id": gene_of(a).part("T")}],
    "lookup_xref_name": lambda a: cross_references({**a, "symbol": a["name"]}),
    "get_info_analysis": lambda a: {str(r["name"]): ["core"] for r in vocabulary("ensembl", "havana", "repeatmask", of="analysis")(a)},
    "get_info_assembly": assembly_of,
    "get_info_assembly_region": assembly_of,
    "get_info_biotypes": biotypes,
    "get_info_biotypes_groups": biotypes,
    "get_info_biotypes_name": biotypes,
    "get_info_compara_methods": methods,
    "get_info_compara_species_sets": species_sets,
    "get_info_external_dbs": vocabulary(*_LINKED, of="display_name"),
    "get_info_genomes": genomes,
    "get_info_genomes_accession": genomes,
    "get_info_genomes_assembly": genomes,
    "get_info_genomes_division": genomes,
    "get_info_genomes_taxonomy": genomes,
    "get_info_species": all_genomes,
    "get_info_variation_population_name": people_of,
    "get_info_variation_populations": all_populations,
    "get_info_variation_sources": vocabulary("dbSNP", "ClinVar", "OMIM", "UniProt", "COSMIC", of="source"),
    "get_ld_around_variant": linkage_around,
    "get_ld_pairwise": linkage_pairwise,
    "get_ld_region": linkage_in_region,
    "lookup_by_id": look_up,
    "lookup_by_symbol": look_up,
    "map_assembly": mapping_of,
    "map_cdna_to_genome": mapping_of,
    "map_cds_to_genome": mapping_of,
    "map_translation_to_genome": mapping_of,
    "get_ontology_ancestors": terms_of,
    "get_ontology_ancestors_chart": lambda a: {a["id"]: {"term": term_of(a["id"]), "is_a": [t["accession"] for t in terms_of(a)]}},
    "get_ontology_descendants": terms_of,
    "get_ontology_id": lambda a: {**term_of(a["id"]), "parents": terms_of(a)[:2], "children": terms_of(a)[2:]},
    "get_ontology_name": lambda a: [{**term_of(f"GO:{dice('named', a['name']).randrange(10**7):07d}"), "name": a["name"]}],
    "get_taxonomy_classification": lineage_of,
    "get_taxonomy_id": taxonomy_of,
    "get_taxonomy_name": taxa_named,
    "overlap_by_id": features,
    "overlap_by_region": features,
    "overlap_translation": protein_features,
    "get_phenotype_by_accession": phenotypes_of,
    "get_phenotype_by_gene": phenotypes_of,
    "get_phenotype_by_region": phenotypes_of,
    "get_phenotype_by_term": phenotypes_of,
    "get_binding_matrix": matrix_of,
    "get_sequence_by_id": sequence_of,
    "get_sequence_by_region": sequence_of,
    "get_transcript_haplotypes": haplotypes_of,
    "vep_by_hgvs": consequences_of,
    "vep_by_id": consequences_of,
    "vep_by_region": consequences_of,
    "get_variation": variant_of,
    "get_variation_by_pmcid": of_paper,
    "get_variation_by_pmid": of_paper,
    "variant_recoder": recoded,
    "get_ga4gh_features": lambda a: {**record_of("feature")(a), "featureType": {"term": "gene"}, "name": gene_of(a).symbol},
    "get_query_beacon": beacon_of,
    **{f"get_ga4gh_{n}": record_of(n) for n in ("callsets", "datasets", "featuresets", "references", "referencesets",
                                              "variantannotationsets", "variants", "variantsets")},
}  # fmt: skip
