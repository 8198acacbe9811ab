"""UniProt's answers, reduced (arXiv 2605.05758); what isn't listed stays whole."""

from collections.abc import Callable, Mapping

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


def _entry(item: Json) -> Json:
    described = item.get("proteinDescription", {})
    comments = item.get("comments", [])
    function = " ".join(
        t["value"] for c in comments if c.get("commentType") == "FUNCTION" for t in c.get("texts", [])
    )
    places = [at(p, "location", "value") for c in comments for p in c.get("subcellularLocations", [])]
    return pruned({
        "accession": item.get("primaryAccession"),
        "entryType": item.get("entryType"),
        "id": item.get("uniProtkbId"),
        "name": at(described, "recommendedName", "fullName", "value") or at(described, "submissionNames", 0, "fullName", "value"),
        "alternative_names": sample([at(n, "fullName", "value") for n in described.get("alternativeNames", [])], 2),
        "ec": [n["value"] for n in at(described, "recommendedName", "ecNumbers") or []],
        "genes": sample([at(g, "geneName", "value") or at(g, "orfNames", 0, "value") for g in item.get("genes", [])], 2),
        "organism": keep(item.get("organism", {}), "scientificName", "commonName", "taxonId"),
        "existence": item.get("proteinExistence"),
        "annotation_score": item.get("annotationScore"),
        "dates": item.get("entryAudit"),
        "function": short(function, 300),
        "locations": sample(places, 2),
        "feature_counts": spread(f.get("type") for f in item.get("features", [])),
        "keywords": sample([k.get("name") for k in item.get("keywords", [])], 2),
        "references": sample([at(r, "citation", "title") for r in item.get("references", [])], 3),
        "cross_references": sample([f"{x.get('database')}:{x.get('id')}" for x in item.get("uniProtKBCrossReferences", [])], 3),
        "sequence": keep(item.get("sequence", {}), "length", "molWeight"),
    })  # fmt: skip


def _entries(most: int) -> Reduction:
    def reduce(body: Json) -> Json:
        found = body.get("results", [])
        return {
            **sample(found, most, _entry),
            "organisms": spread(at(e, "organism", "scientificName") for e in found),
            "keywords": spread(k.get("name") for e in found for k in e.get("keywords", [])),
        }

    return reduce


def _archived(item: Json) -> Json:
    sources = item.get("uniParcCrossReferences", [])
    active = [s for s in sources if s.get("active")]
    return pruned({
        "upi": item.get("uniParcId"),
        "sources": {"active": len(active), "inactive": len(sources) - len(active)} if sources else item.get("crossReferenceCount"),
        "databases": spread((s.get("database") for s in sources), 5),
        "organisms": spread((at(s, "organism", "scientificName") for s in sources), 5),
        "sample_sources": sample(sources, 5, lambda s: keep(s, "database", "id", "active", "lastUpdated")) if sources else None,
        "common_taxa": sample([t.get("commonTaxon") for t in item.get("commonTaxons", [])], 3),
        "uniprot": sample(item.get("uniProtKBAccessions", []), 1),
        "length": at(item, "sequence", "length"),
        "starts_with": (at(item, "sequence", "value") or "")[:20],
        "domains": sample([at(f, "interproGroup", "name") or f.get("databaseId") for f in item.get("sequenceFeatures", [])], 4),
    })  # fmt: skip


def _archives(most: int) -> Reduction:
    def reduce(body: Json) -> Json:
        found = body.get("results", [])
        lengths = [n for i in found if (n := at(i, "sequence", "length"))]
        return {**sample(found, most, _archived), "lengths": span(lengths)}

    return reduce


def _clusters(body: Json) -> Json:
    found = body.get("results", [])
    fields = ("id", "name", "entryType", "memberCount", "organismCount", "updated")
    return {
        **sample(
            found, 3, lambda c: {**keep(c, *fields), "common_taxon": at(c, "commonTaxon", "scientificName")}
        ),
        "types": spread(c.get("entryType") for c in found),
        "taxa": spread(at(c, "commonTaxon", "scientificName") for c in found),
        "members": span(c["memberCount"] for c in found if c.get("memberCount")),
    }


def _groups(body: Json) -> Json:
    def one(group: Json) -> Json:
        fields = ("id", "geneName", "entryType", "proteinName")
        related = group.get("relatedProteins", [])
        return {
            "proteome": group.get("proteomeId"),
            "canonical": keep(group.get("canonicalProtein", {}), *fields),
            "related": sample(related, 3, lambda p: keep(p, *fields)),
        }

    return sample(body.get("results", []), 3, one)


def _proteomes(body: Json) -> Json:
    def one(item: Json) -> Json:
        return pruned({
            **keep(item, "id", "proteomeType", "superkingdom", "proteinCount", "geneCount", "annotationScore", "modified"),
            "organism": keep(item.get("taxonomy", {}), "scientificName", "taxonId"),
            "lineage_end": [t.get("scientificName") for t in item.get("taxonLineage", [])][-3:],
            "components": sample(item.get("components", []), 3, lambda c: keep(c, "name", "proteinCount")),
            "busco": at(item, "proteomeCompletenessReport", "buscoReport"),
        })  # fmt: skip

    found = body.get("results", [])
    return {**sample(found, 3, one), "superkingdoms": spread(i.get("superkingdom") for i in found)}


def _listed(most: int, *names: str, **spreads: tuple[str | int, ...]) -> Reduction:
    """Examples with some fields, and the distributions of values that lie along some paths."""

    def reduce(body: Json) -> Json:
        found = body.get("results", [])
        told = sample(found, most, lambda item: keep(item, *names) if names else item)
        return {**told, **{name: spread((at(i, *path) for i in found), 6) for name, path in spreads.items()}}

    return reduce


def _citations(body: Json) -> Json:
    found = [i.get("citation", {}) for i in body.get("results", [])]
    return {
        **sample(found, 3, lambda c: keep(c, "id", "title", "authors", "journal", "publicationDate")),
        "years": spread((c.get("publicationDate", "")[-4:] for c in found), 6),
        "journals": spread((c.get("journal") for c in found), 6),
    }


def _rules(most: int, inside: int) -> Reduction:
    def one(item: Json) -> Json:
        rule = item.get("mainRule", {})
        conditions = [c for s in rule.get("conditionSets", []) for c in s.get("conditions", [])]
        return {
            "id": item.get("uniRuleId"),
            "conditions": sample(conditions, inside),
            "annotations": sample(rule.get("annotations", []), inside),
            "statistics": item.get("statistics"),
        }

    return lambda body: sample(body.get("results", []), most, one)


_TAXON = ("taxonId", "scientificName", "commonName", "mnemonic", "rank", "statistics")
REDUCTIONS: Mapping[str, Callable[[Json], Json]] = {
    "get_uniprotkb_entry": _entry,
    "search_uniprotkb": _entries(2),
    "stream_uniprotkb": _entries(5),
    "get_uniparc_by_upi": _archived,
    "search_uniparc": _archives(3),
    "stream_uniparc": _archives(5),
    "stream_uniref": _clusters,
    "search_genecentric": _groups,
    "stream_genecentric": _groups,
    "search_proteomes": _proteomes,
    "stream_proteomes": _proteomes,
    "stream_keywords": _listed(
        5, "keyword", "definition", "category", "parents", categories=("category", "name")
    ),
    "stream_human_diseases": _listed(5, "id", "name", "acronym", "definition"),
    "stream_subcellular_locations": _listed(3, "id", "name", "definition", "category", "geneOntologies"),
    "stream_crossref_databases": _listed(10, categories=("category",)),
    "stream_literature_citations": _citations,
    "search_taxonomy": _listed(3, *_TAXON, ranks=("rank",)),
    "stream_taxonomy": _listed(10, *_TAXON, ranks=("rank",)),
    "search_unirule": _rules(2, 2),
    "stream_unirule": _rules(5, 2),
    "search_arba": _rules(3, 5),
    "stream_arba": _rules(3, 5),
}
"""Reductions by endpoint."""
