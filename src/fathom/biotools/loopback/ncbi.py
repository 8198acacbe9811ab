"""A stand-in for NCBI's E-utilities and BLAST."""

import io
import json
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape

from fathom.biotools.catalogue import endpoint
from fathom.biotools.catalogue.names import all_species
from fathom.biotools.loopback.refusal import ServiceRefused
from fathom.biotools.loopback.world import (
    DISORDERS,
    SYMBOLS,
    WORDS,
    absent,
    dice,
    dna,
    gene_of_symbol,
    protein,
)

Arguments = Mapping[str, str]


def answer(name: str, arguments: Arguments) -> tuple[str, Any]:
    """Media type and body of an answer of the E-utilities."""
    match name:
        case "esearch":
            return _json("esearch", esearchresult=_found(arguments))
        case "esummary":
            return _json("esummary", result=_summaries(arguments))
        case "elink":
            return _json("elink", linksets=[_links(arguments)])
        case "einfo":
            return _json("einfo", einforesult=_about(arguments))
        case "ecitmatch":
            rows = [r for r in re.split(r"[\r\n]+", arguments["bdata"]) if r]
            return "text/plain", "\n".join(f"{r}{dice('cited', r).randrange(10**6, 3 * 10**7)}" for r in rows)
    return _records(arguments)


def _json(kind: str, **content: Any) -> tuple[str, Any]:
    return "application/json", {"header": {"type": kind, "version": "0.3"}, **content}


def _found(arguments: Arguments) -> dict[str, Any]:
    term = arguments["term"]
    roll = dice("found", arguments["db"], term)
    count = 0 if "nonexistent" in term.lower() else roll.randrange(1, 200)
    start, most = int(arguments.get("retstart", 0)), int(arguments.get("retmax", 20))
    shown = [str(1000 + (roll.getrandbits(24) + 7919 * n) % 10**8) for n in range(count)][
        start : start + most
    ]
    told: dict[str, Any] = {"count": str(count), "retmax": str(len(shown)), "retstart": str(start), "idlist": shown,
                            "translationset": [], "querytranslation": f"{term}[All Fields]"}  # fmt: skip
    if arguments.get("rettype") == "count":
        return {"count": str(count)}
    if arguments.get("usehistory") == "y":
        told |= {"querykey": "1", "webenv": f"MCID_{roll.getrandbits(96):x}"}
    return told


def _identifiers(arguments: Arguments) -> list[str]:
    given = [i for i in arguments.get("id", "1001,1002,1003").split(",") if i]
    return given[: int(arguments.get("retmax", 10_000))]


def _summaries(arguments: Arguments) -> dict[str, Any]:
    keys = _identifiers(arguments)
    told: dict[str, Any] = {"uids": keys}
    for key in keys:
        told[key] = (
            {"uid": key, "error": "cannot get document summary"}
            if absent(key)
            else _summary(arguments["db"], key)
        )
    return told


def _summary(database: str, key: str) -> dict[str, Any]:
    roll = dice("summary", database, key)
    species = roll.choice(list(all_species().values())[:5])
    gene = gene_of_symbol(species, roll.choice(SYMBOLS))
    chromosome, start, end, _ = gene.place
    match database:
        case "gene":
            return {"uid": key, "name": gene.symbol, "description": gene.description, "chromosome": chromosome, "maplocation": f"{chromosome}q21",
                    "organism": {"scientificname": species.scientific, "commonname": species.said[0], "taxid": species.taxon},
                    "genomicinfo": [{"chrloc": chromosome, "chrstart": start, "chrstop": end}], "summary": f"A made record of {gene.symbol}."}  # fmt: skip
        case "snp":
            return {"uid": key, "snp_id": int(re.sub(r"\D", "", key) or 0), "chr": chromosome, "chrpos": f"{chromosome}:{start}", "genes": [{"name": gene.symbol, "gene_id": str(gene.number)}],
                    "fxn_class": "intron_variant", "snp_class": "snv", "clinical_significance": "benign"}  # fmt: skip
        case "pubmed":
            return {
                "uid": key,
                "pubdate": f"{roll.randrange(1985, 2026)} Jan",
                "source": "Nature",
                "title": f"{gene.symbol} as {roll.choice(WORDS)}",
                "authors": [{"name": "Doe J"}],
            }
    return {
        "uid": key,
        "title": f"{roll.choice(DISORDERS)} {roll.randrange(1, 30)}",
        "organism": species.scientific,
        "accession": f"NM_{roll.randrange(10**6):06d}.1",
    }


def _links(arguments: Arguments) -> dict[str, Any]:
    source, target = arguments["dbfrom"], arguments.get("db", "pubmed")
    keys = _identifiers(arguments)
    roll = dice("links", source, target, *keys)
    links = [str(roll.randrange(10**5, 10**8)) for _ in range(roll.randrange(1, 40))]
    scored = arguments.get("cmd") == "neighbor_score"
    shown: list[Any] = (
        [{"id": i, "score": str(roll.randrange(10**6))} for i in links] if scored else list(links)
    )
    return {
        "dbfrom": source,
        "ids": keys,
        "linksetdbs": [
            {"dbto": target, "linkname": arguments.get("linkname", f"{source}_{target}"), "links": shown}
        ],
    }


def _about(arguments: Arguments) -> dict[str, Any]:
    names = endpoint("einfo").parameters["db"].enum
    if "db" not in arguments:
        return {"dblist": list(names)}
    name = arguments["db"]
    fields = [
        {"name": n, "fullname": n.title(), "termcount": str(dice(name, n).randrange(10**6))}
        for n in ("ALL", "UID", "FILT", "TITL", "ORGN")
    ]
    links = [
        {"name": f"{name}_{other}", "dbto": other, "description": f"Links to {other}"}
        for other in ("pubmed", "gene", "protein")
    ]
    return {"dbinfo": [{"dbname": name, "menuname": name.title(), "description": f"{name} database", "count": str(dice(name).randrange(10**8)),
                        "lastupdate": "2026/11/01 04:10", "fieldlist": fields, "linklist": links}]}  # fmt: skip


def _records(arguments: Arguments) -> tuple[str, Any]:
    """EFetch: the view of a database's records that was asked for."""
    database, rettype, retmode = arguments["db"], arguments.get("rettype", ""), arguments.get("retmode", "")
    keys = _identifiers(arguments)
    if any(absent(k) for k in keys):
        raise ServiceRefused(400, "Error: F a i l e d  t o  u n d e r s t a n d  i d\n")
    if rettype == "fasta" and retmode != "xml":
        whole = "".join(f">{k} made record\n{_residues(database, k)}\n" for k in keys)
        return "text/plain", whole
    if rettype == "uilist" and retmode != "xml":
        return "text/plain", "\n".join(keys)
    if retmode in {"text", "json", "asn.1"} or rettype in {"abstract", "medline", "gene_table", "summary"}:
        return "text/plain", "\n\n".join(f"{n}. {_line(database, k)}" for n, k in enumerate(keys, 1))
    root, record = _XML.get(
        "fasta" if rettype == "fasta" else database,
        ("RecordSet", "<Record><Id>{key}</Id><Title>{title}</Title></Record>"),
    )
    inside = "".join(
        record.format(**{k: escape(v) for k, v in _values(database, key).items()}) for key in keys
    )
    return "text/xml", f'<?xml version="1.0" ?>\n<{root}>{inside}</{root}>'


def _line(database: str, key: str) -> str:
    told = _summary(database, key)
    return f"{told.get('name') or told.get('title') or key}\nID: {key}"


def _residues(database: str, key: str) -> str:
    return protein(key) if database == "protein" else dna(key, 600)


def _values(database: str, key: str) -> dict[str, str]:
    roll = dice("record", database, key)
    species = roll.choice(list(all_species().values())[:8])
    gene = gene_of_symbol(species, roll.choice(SYMBOLS))
    return {"key": key, "title": f"{gene.symbol} {roll.choice(WORDS)}", "symbol": gene.symbol, "organism": species.scientific, "taxon": str(species.taxon),
            "journal": roll.choice(("Nature", "Cell", "Lancet")), "year": str(roll.randrange(1985, 2026)), "sequence": _residues(database, key),
            "chromosome": gene.place[0], "position": str(gene.place[1]), "length": str(len(_residues(database, key)))}  # fmt: skip


_GENBANK = (
    "<GBSeq><GBSeq_locus>{key}</GBSeq_locus><GBSeq_length>{length}</GBSeq_length><GBSeq_moltype>AA</GBSeq_moltype><GBSeq_definition>{title} [{organism}]"
    "</GBSeq_definition><GBSeq_primary-accession>{key}</GBSeq_primary-accession><GBSeq_organism>{organism}</GBSeq_organism><GBSeq_feature-table><GBFeature>"
    "<GBFeature_key>source</GBFeature_key><GBFeature_location>1..{length}</GBFeature_location></GBFeature></GBSeq_feature-table><GBSeq_sequence>{sequence}"
    "</GBSeq_sequence></GBSeq>"
)
_XML = {
    "protein": ("GBSet", _GENBANK),
    "nuccore": ("GBSet", _GENBANK),
    "fasta": ("TSeqSet", "<TSeq><TSeq_accver>{key}</TSeq_accver><TSeq_taxid>{taxon}</TSeq_taxid><TSeq_orgname>{organism}</TSeq_orgname><TSeq_defline>{title}"
              "</TSeq_defline><TSeq_length>{length}</TSeq_length><TSeq_sequence>{sequence}</TSeq_sequence></TSeq>"),
    "pubmed": ("PubmedArticleSet", "<PubmedArticle><MedlineCitation><PMID>{key}</PMID><Article><Journal><Title>{journal}</Title><JournalIssue><PubDate><Year>{year}"
               "</Year></PubDate></JournalIssue></Journal><ArticleTitle>{title}</ArticleTitle><Abstract><AbstractText>A made abstract about {symbol}.</AbstractText>"
               "</Abstract><AuthorList><Author><LastName>Doe</LastName><Initials>J</Initials></Author></AuthorList></Article></MedlineCitation></PubmedArticle>"),
    "gene": ("Entrezgene-Set", "<Entrezgene><Entrezgene_track-info><Gene-track><Gene-track_geneid>{key}</Gene-track_geneid></Gene-track></Entrezgene_track-info>"
             "<Entrezgene_gene><Gene-ref><Gene-ref_locus>{symbol}</Gene-ref_locus><Gene-ref_desc>{title}</Gene-ref_desc></Gene-ref></Entrezgene_gene></Entrezgene>"),
    "taxonomy": ("TaxaSet", "<Taxon><TaxId>{key}</TaxId><ScientificName>{organism}</ScientificName><Rank>species</Rank><Lineage>cellular organisms; Eukaryota</Lineage></Taxon>"),
    "snp": ("ExchangeSet", "<DocumentSummary uid=\"{key}\"><SNP_ID>{key}</SNP_ID><CHR>{chromosome}</CHR><CHRPOS>{chromosome}:{position}</CHRPOS><GENES><GENE_E><NAME>{symbol}"
            "</NAME></GENE_E></GENES><FXN_CLASS>intron_variant</FXN_CLASS></DocumentSummary>"),
}  # fmt: skip


@dataclass
class Job:
    """A BLAST search that was submitted: how often it was asked for, and what it searches."""

    query: str
    program: str
    database: str
    hits: int
    asked: int = 0


def page(**fields: str) -> str:
    """A page of BLAST with its comment block."""
    lines = "\n".join(f"    {name} = {value}" for name, value in fields.items())
    return f"<html><body><!--QBlastInfoBegin\n{lines}\nQBlastInfoEnd\n--></body></html>"


def report(job: Job) -> bytes:
    """A JSON2 archive: a manifest and one report."""
    roll = dice("blast", job.query)
    length = len(job.query.partition("\n")[2] or job.query)
    hits = [{"num": n, "len": length + 50, "description": [{"id": f"ref|XP_{roll.randrange(10**6):06d}.1|", "accession": f"XP_{roll.randrange(10**6):06d}",
             "title": f"{roll.choice(SYMBOLS)} {roll.choice(WORDS)}", "taxid": (s := roll.choice(list(all_species().values())[:20])).taxon, "sciname": s.scientific}],
             "hsps": [{"num": 1, "bit_score": 300.0 - n, "score": 700, "evalue": 10.0 ** (n - 90), "identity": length - n, "query_from": 1, "query_to": length,
                       "hit_from": 1, "hit_to": length, "align_len": length, "gaps": 0, "qseq": job.query[-length:], "hseq": job.query[-length:], "midline": "|" * length}]}
            for n in range(1, min(job.hits, 40) + 1)]  # fmt: skip
    search = {
        "query_id": "Query_1",
        "query_title": "query",
        "query_len": length,
        "hits": hits,
        "stat": {"db_num": 976087544, "db_len": 1186732593},
    }
    content = {
        "BlastOutput2": {
            "report": {
                "program": job.program,
                "search_target": {"db": job.database},
                "results": {"search": search},
            }
        }
    }
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("R.json", json.dumps({"BlastJSON": [{"File": "R_1.json"}]}))
        archive.writestr("R_1.json", json.dumps(content))
    return held.getvalue()
