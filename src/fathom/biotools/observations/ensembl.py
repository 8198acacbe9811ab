"""Ensembl's answers, reduced (arXiv 2605.05758); what isn't listed stays whole."""

from collections.abc import Callable, Iterator, Mapping

from fathom.biotools.observations.parts import (
    Json,
    Reduction,
    at,
    keep,
    pruned,
    sample,
    short,
    span,
    spread,
)

SEVERITY = (
    "transcript_ablation splice_acceptor_variant splice_donor_variant stop_gained frameshift_variant stop_lost start_lost "
    "inframe_insertion inframe_deletion missense_variant splice_region_variant synonymous_variant 5_prime_UTR_variant "
    "3_prime_UTR_variant non_coding_transcript_exon_variant intron_variant upstream_gene_variant downstream_gene_variant"
).split()  # fmt: skip


def _nodes(tree: Json) -> Iterator[Json]:
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += node.get("children", [])


def _gene_tree(body: Json) -> Json:
    root = body.get("tree", {})
    nodes = list(_nodes(root))
    leaves = [n for n in nodes if not n.get("children")]
    names = sorted({at(n, "taxonomy", "scientific_name") or "" for n in leaves} - {""})
    bootstraps = [b for n in nodes if (b := at(n, "confidence", "bootstrap")) is not None]
    return {
        "root": {**keep(body, "id", "type", "rooted"), "taxonomy": root.get("taxonomy"), "events": root.get("events")},
        "nodes": len(nodes),
        "sequences": len(leaves),
        "events": spread(at(n, "events", "type") for n in nodes),
        "bootstrap": span(bootstraps),
        "species": sample(names, 10),
        "branches": sample(root.get("children", []), 10, lambda c: {
            "taxon": at(c, "taxonomy", "scientific_name"), "sequences": sum(not n.get("children") for n in _nodes(c))}),
    }  # fmt: skip


def _family_tree(body: Json) -> Json:
    nodes = list(_nodes(body.get("tree", {})))
    return {
        **keep(body, "type", "rooted", "pvalue_avg", "lambdas"),
        "nodes": len(nodes),
        "expansions": sum(bool(n.get("is_expansion")) for n in nodes),
        "contractions": sum(bool(n.get("is_contraction")) for n in nodes),
        "significant": sum(bool(n.get("is_node_significant")) for n in nodes),
        "members": span(n["n_members"] for n in nodes if n.get("n_members") is not None),
        "species": sample([s for n in nodes if (s := at(n, "tax", "scientific_name"))], 10),
    }


def _homology(body: Json) -> Json:
    found = [h for entry in body.get("data", []) for h in entry.get("homologies", [])]

    def one(item: Json) -> Json:
        fields = ("id", "species", "protein_id", "perc_id", "perc_pos")
        return {
            **keep(item, "type", "taxonomy_level", "dn_ds"),
            "target": keep(item.get("target", item), *fields),
            "source": keep(item.get("source", {}), *fields),
        }

    return {
        "gene": at(body, "data", 0, "id"),
        "types": spread(h.get("type") for h in found),
        "levels": spread(h.get("taxonomy_level") for h in found),
        **sample(found, 3, one),
    }


def _alignments(body: Json) -> Json:
    def one(block: Json) -> Json:
        rows = block.get("alignments", [])
        shown = 3 if len(at(rows, 0, "seq") or "") <= 200 else 1
        return {
            "tree": block.get("tree"),
            "species": spread(r.get("species") for r in rows),
            "rows": sample(rows, shown),
        }

    return sample(body, 5, one)


def _cross_references(body: Json) -> Json:
    return {
        **sample(body, 3, lambda x: keep(x, "dbname", "primary_id", "display_id", "description")),
        "databases": spread(x.get("dbname") for x in body),
        "go_evidence": spread(e for x in body for e in x.get("linkage_types") or []),
    }


def _listed(most: int, *spreads: str, under: str | None = None) -> Reduction:
    """Examples and the distributions of some fields."""

    def reduce(body: Json) -> Json:
        found = body.get(under, []) if under else body
        return {**sample(found, most), **{name: spread((i.get(name) for i in found), 20) for name in spreads}}

    return reduce


def _assembly(body: Json) -> Json:
    regions = body.get("top_level_region", [])
    return {
        **{k: v for k, v in body.items() if k not in {"top_level_region", "karyotype"}},
        "karyotype": sample(body.get("karyotype", []), 50),
        "regions": sample(sorted(regions, key=lambda r: -r.get("length", 0)), 5, lambda r: keep(r, "name", "length", "coord_system")),
        "lengths": span(r["length"] for r in regions if r.get("length")),
    }  # fmt: skip


def _linkage(body: Json) -> Json:
    def strength(pair: Json) -> tuple[float, float]:
        return -float(pair.get("r2", 0)), -float(pair.get("d_prime", 0))

    def one(pair: Json) -> Json:
        names = sorted(str(pair.get(n)) for n in ("variation1", "variation2"))
        return {
            "variants": names,
            "r2": round(float(pair["r2"]), 3),
            "d_prime": round(float(pair["d_prime"]), 3),
        }

    # Each pair comes in both orders from some releases.
    pairs = list({tuple(one(p)["variants"]): p for p in sorted(body, key=strength, reverse=True)}.values())
    return {
        "population": at(body, 0, "population_name"),
        "r2": span(float(p["r2"]) for p in pairs),
        **sample(sorted(pairs, key=strength), 20, one),
    }


def _look_up(body: Json) -> Json:
    transcripts = body.get("Transcript", [])
    fields = ("id", "display_name", "biotype", "is_canonical", "length")
    told = {k: v for k, v in body.items() if not isinstance(v, list | dict)}
    if transcripts:
        told["transcripts"] = sample(
            transcripts, 3, lambda t: {**keep(t, *fields), "exons": len(t.get("Exon", []))}
        )
        told["proteins"] = span(n for t in transcripts if (n := at(t, "Translation", "length")))
    return told


def _features(body: Json) -> Json:
    places = [(f["start"], f["end"]) for f in body if "start" in f and "end" in f]
    span_of = {"start": min(s for s, _ in places), "end": max(e for _, e in places)} if places else None
    return {
        "types": spread(f.get("feature_type") or f.get("type") for f in body),
        "biotypes": spread(f.get("biotype") for f in body),
        "span": span_of,
        **sample(body, 8),
    }


def _protein_features(body: Json) -> Json:
    return {"types": spread(f.get("type") for f in body), **sample(body, 8, lambda f: keep(f, "type", "id", "description", "start", "end", "seq_region_name"))}  # fmt: skip


def _phenotypes(most: int) -> Reduction:
    def p_value(item: Json) -> float:
        try:
            return float(at(item, "attributes", "p_value"))
        except (TypeError, ValueError):
            return 1.0

    def reduce(body: Json) -> Json:
        return {
            "sources": spread(i.get("source") for i in body),
            "descriptions": spread(i.get("description") for i in body),
            "order": "most significant first",
            **sample(sorted(body, key=p_value), most),
        }

    return reduce


def _consequences(body: Json) -> Json:
    def rank(item: Json) -> tuple[bool, bool, int]:
        terms = [SEVERITY.index(t) for t in item.get("consequence_terms", []) if t in SEVERITY]
        return not item.get("canonical"), not item.get("mane_select"), min(terms, default=len(SEVERITY))

    def one(variant: Json) -> Json:
        plain = {k: v for k, v in variant.items() if not k.endswith("_consequences")}
        held = {k: v for k, v in variant.items() if k.endswith("_consequences")}
        return {**plain, **{k: sample(sorted(v, key=rank), 5) for k, v in held.items()}}

    return sample(body, 10, one)


def _of_paper(body: Json) -> Json:
    def one(item: Json) -> Json:
        fields = ("name", "var_class", "most_severe_consequence", "MAF", "clinical_significance")
        return {**keep(item, *fields), "location": at(item, "mappings", 0, "location")}

    return {
        "classes": spread(i.get("var_class") for i in body),
        "consequences": spread(i.get("most_severe_consequence") for i in body),
        "frequencies": span(float(i["MAF"]) for i in body if i.get("MAF") is not None),
        **sample(body, 3, one),
    }


def _haplotypes(body: Json) -> Json:
    def common(kind: str) -> Json:
        held = sorted(body.get(kind, []), key=lambda h: -h.get("count", 0))
        return sample(held, 1, lambda h: keep(h, "name", "count", "frequency"))

    return {**keep(body, "transcript_id", "total_haplotype_count"), "protein": common("protein_haplotypes"), "coding": common("cds_haplotypes")}  # fmt: skip


def _classification(body: Json) -> Json:
    return {"lineage": [t.get("scientific_name") or t.get("name") for t in body], "levels": len(body)}


def _taxa(body: Json) -> Json:
    return pruned({"best": body[0] if body else None, "alternatives": sample(body[1:], 3)})


def _terms(body: Json) -> Json:
    return {"namespaces": spread(t.get("namespace") for t in body), **sample(body, 14, lambda t: {
        **keep(t, "accession", "name", "ontology"), "definition": short(t.get("definition") or "", 200)})}  # fmt: skip


def _beacon(body: Json) -> Json:
    sets = at(body, "response", "resultSets") or []
    results = [r for s in sets for r in s.get("results", [])]
    return {
        "summary": body.get("responseSummary"),
        "datasets": sample([s.get("id") for s in sets], 10),
        "results": sample(results, 5),
    }


REDUCTIONS: Mapping[str, Callable[[Json], Json]] = {
    "get_genetree_by_id": _gene_tree,
    "get_genetree_member_by_id": _gene_tree,
    "get_genetree_member_by_symbol": _gene_tree,
    "get_cafe_genetree_by_id": _family_tree,
    "get_cafe_genetree_by_member_id": _family_tree,
    "get_cafe_genetree_by_member_symbol": _family_tree,
    "get_homology_by_id": _homology,
    "get_homology_by_symbol": _homology,
    "get_alignment_region": _alignments,
    "get_xrefs_by_id": _cross_references,
    "get_info_species": _listed(3, "division", "assembly", "strain", under="species"),
    "get_info_genomes_division": _listed(3, "division", "assembly_name"),
    "get_info_genomes_accession": _listed(3, "division", "assembly_name"),
    "get_info_genomes_taxonomy": _listed(3, "division", "assembly_name"),
    "get_info_compara_species_sets": _listed(3, "species_set_group", "method"),
    "get_info_assembly": _assembly,
    "get_ld_region": _linkage,
    "lookup_by_id": _look_up,
    "get_ontology_ancestors": _terms,
    "get_taxonomy_classification": _classification,
    "get_taxonomy_name": _taxa,
    "overlap_by_id": _features,
    "overlap_translation": _protein_features,
    "get_phenotype_by_accession": _phenotypes(10),
    "get_phenotype_by_gene": _phenotypes(20),
    "get_phenotype_by_region": _phenotypes(20),
    "get_phenotype_by_term": _phenotypes(20),
    "vep_by_hgvs": _consequences,
    "vep_by_id": _consequences,
    "vep_by_region": _consequences,
    "get_variation_by_pmid": _of_paper,
    "get_variation_by_pmcid": _of_paper,
    "get_transcript_haplotypes": _haplotypes,
    "get_query_beacon": _beacon,
}
"""Reductions by endpoint."""
