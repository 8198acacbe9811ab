"""NCBI's answers, reduced (arXiv 2605.05758): links, records by the root of their XML, BLAST hits."""

import re
from collections.abc import Callable, Mapping
from xml.etree import ElementTree as ET

from fathom.biotools.observations.parts import Json, at, keep, pruned, sample, short, spread

Record = Callable[[ET.Element], Json]


def links(body: Json) -> Json:
    """ELink: per set the source, and per target the link's name, its total and ten linked records."""

    def target(item: Json) -> Json:
        return {**keep(item, "dbto", "linkname"), **sample(item.get("links", []), 10)}

    def one(item: Json) -> Json:
        ids = sample(item.get("ids", []), 5)
        told = {
            "dbfrom": item.get("dbfrom"),
            "ids": ids,
            "links": [target(t) for t in item.get("linksetdbs", [])],
        }
        kept = {k: v for k, v in item.items() if k not in {"dbfrom", "ids", "linksetdbs"}}
        return pruned({**told, **kept})

    return {"header": body.get("header"), "linksets": [one(i) for i in body.get("linksets", [])]}


def hits(body: Json) -> Json:
    """BLAST: the query, and ten hits with the best segment each."""
    report = at(body, "BlastOutput2", "report") or at(body, "BlastOutput2", 0, "report") or {}
    search = at(report, "results", "search") or {}
    length = search.get("query_len") or 0

    def one(hit: Json) -> Json:
        best, named = at(hit, "hsps", 0) or {}, at(hit, "description", 0) or {}
        fields = (
            "evalue",
            "bit_score",
            "identity",
            "align_len",
            "gaps",
            "query_from",
            "query_to",
            "hit_from",
            "hit_to",
        )
        strings = ("qseq", "midline", "hseq")
        covered = round(best.get("align_len", 0) / length, 3) if length else None
        return {
            **keep(named, "accession", "title", "taxid", "sciname"),
            **keep(best, *fields, *strings),
            "coverage": covered,
        }

    return {
        "program": report.get("program"),
        "database": at(report, "search_target", "db"),
        "query": keep(search, "query_id", "query_title", "query_len"),
        "searched": keep(search.get("stat", {}), "db_num", "db_len"),
        "organisms": spread(at(h, "description", 0, "sciname") for h in search.get("hits", [])),
        **sample(search.get("hits", []), 10, one),
    }


def records(text: str) -> Json:
    """EFetch: XML whose root is known is reduced; everything else passes whole, as text."""
    if not text.lstrip().startswith("<"):
        return {"text": text}
    try:
        root = ET.fromstring(text)  # expat bounds the expansion of entities
    except ET.ParseError:
        return {"text": text}
    reduction = _ROOTS.get(root.tag)
    if reduction is None:
        return {"text": text}
    most, one = reduction
    held = list(root)
    return {"root": root.tag, **sample(held, most, lambda e: pruned(one(e)))}


def _words(element: ET.Element, path: str) -> str:
    found = element.find(path)
    return re.sub(r"\s+", " ", "".join(found.itertext())).strip() if found is not None else ""


def _all(element: ET.Element, path: str, most: int) -> Json:
    told = [re.sub(r"\s+", " ", "".join(e.itertext())).strip() for e in element.findall(path)]
    return sample(told, most) if told else None


def _genbank(item: ET.Element) -> Json:
    overview = ("locus", "length", "moltype", "topology", "division", "create-date", "update-date", "definition", "accession-version",
                "primary-accession", "source", "organism", "taxonomy")  # fmt: skip
    return {
        **{name: short(_words(item, f"GBSeq_{name}"), 200) for name in overview},
        "references": _all(item, "GBSeq_references/GBReference/GBReference_title", 5),
        "features": _all(item, "GBSeq_feature-table/GBFeature/GBFeature_key", 5),
        "sequence_left_out": f"{len(_words(item, 'GBSeq_sequence'))} residues"
        if item.find("GBSeq_sequence") is not None
        else "",
    }


def _tiny(item: ET.Element) -> Json:
    names = ("accver", "taxid", "orgname", "defline", "length")
    return {
        **{n: _words(item, f"TSeq_{n}") for n in names},
        "sequence": short(_words(item, "TSeq_sequence"), 80),
    }


def _article(item: ET.Element) -> Json:
    inside = "MedlineCitation/Article"
    return {
        "pmid": _words(item, "MedlineCitation/PMID"),
        "title": _words(item, f"{inside}/ArticleTitle"),
        "journal": _words(item, f"{inside}/Journal/Title"),
        "year": _words(item, f"{inside}/Journal/JournalIssue/PubDate/Year"),
        "abstract": [
            short(t, 200)
            for t in (_all(item, f"{inside}/Abstract/AbstractText", 3) or {}).get("examples", [])
        ],
        "authors": _all(item, f"{inside}/AuthorList/Author", 5),
        "mesh": _all(item, "MedlineCitation/MeshHeadingList/MeshHeading/DescriptorName", 8),
    }


def _gene(item: ET.Element) -> Json:
    return {
        "id": _words(item, ".//Gene-track_geneid"),
        "symbol": _words(item, ".//Gene-ref_locus"),
        "description": _words(item, ".//Gene-ref_desc"),
        "location": _words(item, ".//Gene-ref_maploc"),
        "organism": _words(item, ".//Org-ref_taxname"),
        "summary": short(_words(item, "Entrezgene_summary"), 200),
        "products": _all(item, ".//Prot-ref_name_E", 3),
    }


def _variant(item: ET.Element) -> Json:
    names = ("SNP_ID", "CHR", "CHRPOS", "SPDI", "SNP_CLASS", "FXN_CLASS", "CLINICAL_SIGNIFICANCE")
    return {**{n.lower(): _words(item, n) for n in names}, "genes": _all(item, "GENES/GENE_E/NAME", 5)}


def _taxon(item: ET.Element) -> Json:
    told = {n.lower(): _words(item, n) for n in ("TaxId", "ScientificName", "Rank", "Division")}
    return {**told, "lineage": sample(_words(item, "Lineage").split("; "), 12)}


_ROOTS: Mapping[str, tuple[int, Record]] = {
    "GBSet": (10, _genbank),
    "TSeqSet": (5, _tiny),
    "PubmedArticleSet": (5, _article),
    "Entrezgene-Set": (10, _gene),
    "ExchangeSet": (5, _variant),
    "TaxaSet": (5, _taxon),
}
"""How many records of each root are shown, and what of them."""
