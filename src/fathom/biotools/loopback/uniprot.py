"""A stand-in for UniProt's REST service: records, pages with cursors, streams."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from fathom.biotools.catalogue import Endpoint
from fathom.biotools.catalogue.names import all_species, species_by_taxon
from fathom.biotools.loopback.refusal import ServiceRefused
from fathom.biotools.loopback.world import (
    DISORDERS,
    SYMBOLS,
    WORDS,
    SampleGene,
    absent,
    dice,
    gene_of_symbol,
    protein,
    taxon,
)

Arguments = Mapping[str, str]
Record = dict[str, Any]
PAGE = 25
MERGED, MERGED_INTO = "Q00001", "P05067"
"""An accession that was merged into another."""

FIELDS = {
    "search_uniprotkb": "accession active gene organism_id organism_name reviewed taxonomy_id taxonomy_name go protein_name keyword existence "
    "length mass ec database proteome cc_disease cc_function cc_subcellular_location ft_binding id family interactor xref annotation_score",
    "search_uniref": "id name identity count length uniprotkb uniprot_id uniparc taxonomy_id taxonomy_name upi cluster date_modified",
    "search_uniparc": "upi gene organism_id organism taxonomy_id taxonomy_name uniprotkb database protein checksum dbid proteome length isoform",
    "search_genecentric": "upid gene organism_id accession proteome_id",
    "search_proteomes": "upid organism_id organism_name taxonomy_id reference superkingdom proteome_type busco cpd genome_assembly annotation strain",
    "search_literature_citations": "id title author authoring_group journal published is_uniprotkb_mapped",
    "search_keywords": "id name category keyword_id",
    "search_human_diseases": "id name acronym definition",
    "search_subcellular_locations": "id name category definition",
    "search_crossref_databases": "id name abbrev category_str category",
    "search_taxonomy": "id scientific common mnemonic rank ancestor parent tax_id synonym host linked",
    "search_unirule": "unirule_id all_rule_id taxonomy keyword go ec superkingdom family protein_name gene",
    "search_arba": "rule_id taxonomy keyword go superkingdom ec family interpro protein_name",
}
"""Fields that a query may name, by data set; another is refused with 400."""

_FIELD = re.compile(r"(?<![\w\"])([A-Za-z_]+):")


def answer(endpoint: Endpoint, arguments: Arguments) -> tuple[Any, dict[str, str]]:
    """Body and further headers. Raises `ServiceRefused` as the service would refuse."""
    key = next((arguments[n] for n in endpoint.path_names), "")
    if key and absent(key):
        raise _refused(404, f"Resource not found: {key}")
    if key.upper() == MERGED:
        moved = endpoint.path.replace("{accession}", MERGED_INTO)
        raise ServiceRefused(303, "", Location=f"/uniprot{moved}?from={MERGED}")
    if endpoint.path_names and not endpoint.name.startswith(
        ("get_uniref_members", "get_uniparc_databases", "get_genecentric_by_prot")
    ):
        return _RECORDS[endpoint.tool](key, arguments), {}
    if not endpoint.path_names:
        _check_query(endpoint.name, arguments["query"])
    return _listing(endpoint, arguments, key)


def _refused(status: int, *messages: str) -> ServiceRefused:
    return ServiceRefused(status, {"url": "http://rest.uniprot.org/", "messages": list(messages)})


def _check_query(name: str, query: str) -> None:
    known = set(FIELDS[name.replace("stream_", "search_")].split())
    if unknown := [
        f
        for f in _FIELD.findall(query)
        if f.lower() not in known and not f.startswith(("ft_", "cc_", "xref", "ftlen_"))
    ]:
        raise _refused(400, f"'{unknown[0]}' is not a valid search field")
    if query.count("(") != query.count(")") or query.count('"') % 2:
        raise _refused(400, "query parameter has an invalid syntax")


def _listing(endpoint: Endpoint, arguments: Arguments, key: str) -> tuple[Any, dict[str, str]]:
    """A page of records with the address of the next one, or all of them from a stream."""
    asked = arguments.get("query", key)
    roll = dice("listing", endpoint.tool, asked)
    total = 0 if "nonexistent" in asked else roll.randrange(3, 120)
    if endpoint.path.endswith("/stream"):
        return {"results": [_listed(endpoint, arguments, asked, n) for n in range(total)]}, {}
    size, start = int(arguments.get("size", PAGE)), _start(arguments.get("cursor", ""))
    shown = [_listed(endpoint, arguments, asked, n) for n in range(start, min(total, start + size))]
    headers = {"X-Total-Results": str(total), "X-UniProt-Release": "2026_01"}
    if start + size < total:
        headers["Link"] = f"{{base}}&cursor=c{start + size}"
    return {"results": shown}, headers


def _start(cursor: str) -> int:
    if cursor and not re.fullmatch(r"c\d{1,7}", cursor):
        raise _refused(400, "Invalid cursor value")
    return int(cursor[1:] or 0)


def _listed(endpoint: Endpoint, arguments: Arguments, asked: str, number: int) -> Record:
    build = _MEMBERS.get(endpoint.name)
    if build:
        return build(asked, number)
    key = _KEYS[endpoint.tool](asked, number)
    return _RECORDS[endpoint.tool](key, arguments)


def _asked_gene(asked: str, number: int) -> SampleGene:
    """The nth gene that a query is about: of the gene and organism that it names, if it does."""
    symbol = re.search(r"gene(?:_exact)?:\"?([\w.\-]+)", asked)
    organism = re.search(r"(?:organism_id|taxonomy_id):(\d+)", asked)
    roll = dice("asked", asked, number)
    species = (
        species_by_taxon().get(int(organism[1])) if organism else roll.choice(list(all_species().values()))
    )
    chosen = species or roll.choice(list(all_species().values()))
    return gene_of_symbol(chosen, symbol[1] if symbol else roll.choice(SYMBOLS))


def _entry(accession: str, arguments: Arguments) -> Record:
    asked = arguments.get("query", "")
    number = int(accession.split("|")[1]) if "|" in accession else 0
    gene = _asked_gene(asked or f"entry {accession}", number)
    accession = gene.accession if "|" in accession else accession
    species, sequence = gene.species, protein(accession)
    reviewed = dice("reviewed", accession).random() < 0.5 or "reviewed:true" in asked
    return {
        "entryType": f"UniProtKB {'reviewed (Swiss-Prot)' if reviewed else 'unreviewed (TrEMBL)'}",
        "primaryAccession": accession,
        "uniProtkbId": f"{gene.symbol}_{taxon(species.taxon)['mnemonic']}",
        "entryAudit": {"firstPublicDate": "1995-11-01", "lastAnnotationUpdateDate": "2026-01-14", "entryVersion": 120, "sequenceVersion": 2},
        "annotationScore": float(dice("score", accession).randrange(1, 6)),
        "organism": {"scientificName": species.scientific, "commonName": species.said[0].capitalize(), "taxonId": species.taxon},
        "proteinExistence": "1: Evidence at protein level",
        "proteinDescription": {"recommendedName": {"fullName": {"value": f"{gene.symbol} {dice(accession).choice(WORDS)}"}, "ecNumbers": []},
                               "alternativeNames": [{"fullName": {"value": f"Protein {gene.symbol}"}}]},
        "genes": [{"geneName": {"value": gene.symbol}}],
        "comments": [{"commentType": "FUNCTION", "texts": [{"value": f"A made protein that acts as {dice(accession).choice(WORDS)}."}]},
                     {"commentType": "SUBCELLULAR LOCATION", "subcellularLocations": [{"location": {"value": "Nucleus"}}]}],
        "features": [{"type": "Domain", "location": {"start": {"value": 10}, "end": {"value": 60}}, "description": "Kinase"}],
        "keywords": [{"id": "KW-0597", "category": "PTM", "name": "Phosphoprotein"}],
        "references": [{"referenceNumber": 1, "citation": {"id": "10024047", "citationType": "journal article", "title": "A made paper"}}],
        "uniProtKBCrossReferences": [{"database": "Ensembl", "id": gene.part("T"), "properties": [{"key": "GeneId", "value": gene.id}]},
                                     {"database": "GO", "id": "GO:0005667", "properties": []}],
        "sequence": {"value": sequence, "length": len(sequence), "molWeight": 110 * len(sequence)},
    }  # fmt: skip


def _cluster(key: str, _: Arguments) -> Record:
    identity, accession = key.split("_", 1)
    roll = dice("cluster", key)
    species = roll.choice(list(all_species().values()))
    return {"id": key, "name": f"Cluster: {roll.choice(SYMBOLS)} {roll.choice(WORDS)}", "updated": "2026-01-14", "entryType": identity,
            "memberCount": roll.randrange(1, 200), "organismCount": roll.randrange(1, 50),
            "commonTaxon": {"scientificName": "Mammalia", "taxonId": 40674}, "seedId": f"{accession}_SEED",
            "representativeMember": {**_member(key, 0), "organismName": species.scientific, "organismTaxId": species.taxon},
            "members": [_member(key, n)["memberId"] for n in range(1, 8)]}  # fmt: skip


def _member(key: str, number: int) -> Record:
    gene = _asked_gene(key, number)
    return {"memberIdType": "UniProtKB ID", "memberId": f"{gene.symbol}_{taxon(gene.species.taxon)['mnemonic']}", "accessions": [gene.accession],
            "organismName": gene.species.scientific, "organismTaxId": gene.species.taxon, "sequenceLength": len(protein(gene.accession)),
            "proteinName": f"{gene.symbol} protein", "uniparcId": f"UPI{gene.number:010X}"}  # fmt: skip


def _archived(key: str, arguments: Arguments) -> Record:
    sequence = protein(key)
    rows = [_source(key, n) for n in range(dice("sources", key).randrange(3, 20))]
    active = arguments.get("active")
    rows = [r for r in rows if active is None or r["active"] == (active == "true")]
    return {"uniParcId": key, "crossReferenceCount": len(rows), "commonTaxons": [{"topLevel": "Eukaryota", "commonTaxon": "Mammalia", "commonTaxonId": 40674}],
            "uniProtKBAccessions": [_asked_gene(key, 0).accession], "uniParcCrossReferences": rows,
            "sequence": {"value": sequence, "length": len(sequence), "molWeight": 110 * len(sequence), "crc64": f"{dice(key).getrandbits(64):016X}"},
            "sequenceFeatures": [{"database": "Pfam", "databaseId": "PF00069", "locations": [{"start": 4, "end": 60}], "interproGroup": {"id": "IPR000719", "name": "Kinase"}}]}  # fmt: skip


def _source(key: str, number: int) -> Record:
    roll, gene = dice("source", key, number), _asked_gene(key, number)
    return {"database": roll.choice(("UniProtKB/TrEMBL", "EMBL", "RefSeq", "Ensembl")), "id": gene.accession, "version": 1, "active": roll.random() < 0.7,
            "created": "2003-03-12", "lastUpdated": "2026-01-14", "organism": {"scientificName": gene.species.scientific, "taxonId": gene.species.taxon}}  # fmt: skip


def _group(key: str, _: Arguments) -> Record:
    gene = _asked_gene(key, 0)
    return {"proteomeId": f"UP{gene.species.taxon % 10**9:09d}", "canonicalProtein": _short(gene, key if "|" not in key else gene.accession),
            "relatedProteins": [_short(SampleGene(gene.species, gene.number + n), None) for n in (1, 2)]}  # fmt: skip


def _short(gene: SampleGene, accession: str | None) -> Record:
    accession = accession or gene.accession
    return {"id": accession, "entryType": "UniProtKB reviewed (Swiss-Prot)", "geneName": gene.symbol, "geneNameType": "Gene name",
            "organism": {"scientificName": gene.species.scientific, "taxonId": gene.species.taxon}, "proteinExistence": "1: Evidence at protein level",
            "sequence": {"length": len(protein(accession))}}  # fmt: skip


def _proteome(key: str, _: Arguments) -> Record:
    species = species_by_taxon().get(int(key[2:])) or dice("proteome", key).choice(
        list(all_species().values())
    )
    count = dice("count", key).randrange(500, 80000)
    return {"id": key, "taxonomy": {"scientificName": species.scientific, "taxonId": species.taxon}, "modified": "2026-01-14", "proteomeType": "Reference and representative proteome",
            "superkingdom": "eukaryota", "proteinCount": count, "geneCount": count - 7, "annotationScore": 5, "components": [{"name": f"Chromosome {n}", "proteinCount": count // 20} for n in range(1, 9)],
            "proteomeCompletenessReport": {"buscoReport": {"complete": count // 3, "total": count // 3 + 40, "score": 99, "lineageDb": "primates_odb10"}, "cpdReport": {"status": "Standard"}},
            "taxonLineage": [{"scientificName": "Eukaryota", "taxonId": 2759, "rank": "superkingdom"}]}  # fmt: skip


def _paper(key: str, _: Arguments) -> Record:
    roll = dice("citation", key)
    return {"citation": {"id": key, "citationType": "journal article", "authors": ["Doe J.", "Roe R."], "title": f"{roll.choice(SYMBOLS)} and its {roll.choice(WORDS)}",
                         "publicationDate": str(roll.randrange(1985, 2026)), "journal": roll.choice(("Nature", "Cell", "J. Biol. Chem.")), "volume": str(roll.randrange(1, 400))},
            "statistics": {"reviewedProteinCount": roll.randrange(9), "unreviewedProteinCount": roll.randrange(50)}}  # fmt: skip


def _vocabulary(kind: str) -> Callable[[str, Arguments], Record]:
    """Builder for terms: keywords, diseases, locations, linked databases."""

    def build(key: str, arguments: Arguments) -> Record:
        roll = dice(kind, key)
        word = re.sub(r"\w+:|[\"()]", "", arguments.get("query", "")).split(" AND ")[0].strip()
        name = f"{word or roll.choice(DISORDERS)} {roll.randrange(1, 30)}"
        told: Record = {
            "id": key,
            "name": name,
            "definition": f"A made entry of the vocabulary of {kind}, about {name.lower()}.",
        }
        match kind:
            case "keywords":
                return {
                    "keyword": {"id": key, "name": name},
                    "definition": told["definition"],
                    "category": {"id": "KW-9992", "name": "Molecular function"},
                    "parents": [],
                    "statistics": {"reviewedProteinCount": roll.randrange(9000)},
                }
            case "diseases":
                return {
                    **told,
                    "acronym": name[:3].upper() + key[-1],
                    "alternativeNames": [],
                    "crossReferences": [{"databaseType": "MIM", "id": str(roll.randrange(100000, 700000))}],
                    "statistics": {"reviewedProteinCount": roll.randrange(1, 9)},
                }
            case "locations":
                return {
                    **told,
                    "category": "Cellular component",
                    "keyword": {"id": "KW-0472", "name": "Membrane"},
                    "geneOntologies": [{"goId": "GO:0005886", "name": "plasma membrane"}],
                    "statistics": {"reviewedProteinCount": roll.randrange(9000)},
                }
        return {"id": key, "name": name, "abbrev": name[:8], "category": "Genome annotation databases", "linkType": "Explicit", "servers": ["https://example.org/"], "dbUrl": "https://example.org/%s"}  # fmt: skip

    return build


def _taxon(key: str, _: Arguments) -> Record:
    told = taxon(int(key))
    roll = dice("proteins", key)
    return {**told, "rank": "species", "active": True, "lineage": [{"scientificName": n, "taxonId": i, "rank": "no rank"} for i, n in enumerate(told["lineage"])],  # type: ignore[arg-type, var-annotated]
            "statistics": {"reviewedProteinCount": roll.randrange(30000), "unreviewedProteinCount": roll.randrange(90000), "proteomeCount": 1}}  # fmt: skip


def _rule(key: str, _: Arguments) -> Record:
    roll = dice("rule", key)
    return {"uniRuleId": key, "information": {"version": "1", "oldRuleNum": "MF_00001"}, "ruleStatus": "APPLY", "mainRule": {
        "conditionSets": [{"conditions": [{"type": "InterPro id", "isNegative": False, "conditionValues": [{"value": f"IPR{roll.randrange(10**6):06d}"}]},
                                          {"type": "taxon", "isNegative": False, "conditionValues": [{"value": "Bacteria"}]}]}],
        "annotations": [{"keyword": {"id": "KW-0808", "name": "Transferase"}}, {"comment": {"commentType": "FUNCTION"}}]},
        "statistics": {"reviewedProteinCount": roll.randrange(900), "unreviewedProteinCount": roll.randrange(9000)}}  # fmt: skip


_RECORDS: Mapping[str, Callable[[str, Arguments], Record]] = {
    "UniProtKB": _entry,
    "UniRef": _cluster,
    "UniParc": _archived,
    "GeneCentric": _group,
    "Proteomes": _proteome,
    "Literature citations": _paper,
    "Keywords": _vocabulary("keywords"),
    "Human diseases": _vocabulary("diseases"),
    "Subcellular locations": _vocabulary("locations"),
    "Cross-referenced databases": _vocabulary("databases"),
    "Taxonomy": _taxon,
    "UniRule": _rule,
    "ARBA": _rule,
}
_MEMBERS = {"get_uniref_members": _member, "get_uniparc_databases": _source}


def _numbered(form: str, most: int) -> Callable[[str, int], str]:
    return lambda asked, n: form.format((dice("key", asked).randrange(most) + n) % most)


_KEYS: Mapping[str, Callable[[str, int], str]] = {
    "UniProtKB": lambda _, n: f"entry|{n}",
    "UniRef": lambda asked, n: f"UniRef{_identity(asked)}_{_asked_gene(asked, n).accession}",
    "UniParc": _numbered("UPI{:010X}", 16**6),
    "GeneCentric": lambda asked, n: f"{asked}|{n}",
    "Proteomes": lambda asked, n: f"UP{_asked_gene(asked, n).species.taxon % 10**9:09d}",
    "Literature citations": _numbered("{}", 3 * 10**7),
    "Keywords": _numbered("KW-{:04d}", 9000),
    "Human diseases": _numbered("DI-{:05d}", 7000),
    "Subcellular locations": _numbered("SL-{:04d}", 600),
    "Cross-referenced databases": _numbered("DB-{:04d}", 300),
    "Taxonomy": lambda asked, n: str(_asked_gene(asked, n).species.taxon),
    "UniRule": _numbered("UR{:09d}", 10**6),
    "ARBA": _numbered("ARBA{:08d}", 10**5),
}


def _identity(asked: str) -> str:
    found = re.search(r"identity:(1\.0|0\.9|0\.5)", asked)
    return {"1.0": "100", "0.9": "90", "0.5": "50"}[found[1]] if found else "90"


def endless(megabytes: int) -> Iterator[bytes]:
    """The body of a stream of about so many megabytes, piece by piece."""
    yield b'{"results":['
    piece = b'{"primaryAccession":"P05067","sequence":{"value":"' + b"M" * 65_000 + b'"}},'
    for _ in range(megabytes * 1_000_000 // len(piece)):
        yield piece
    yield b"{}]}"
