"""Ensembl's answers about genes: places, sequences, relatives, references, features."""

import re
from typing import Any

from fathom.biotools.catalogue.names import all_species
from fathom.biotools.loopback.ensembl.arguments import Arguments, gene_of, region_of, species_of
from fathom.biotools.loopback.refusal import ServiceRefused
from fathom.biotools.loopback.world import (
    SYMBOLS,
    SampleGene,
    dice,
    dna,
    gene_of_symbol,
    protein,
    species_named,
)

KINDS = {"G": "Gene", "T": "Transcript", "P": "Translation", "E": "Exon"}


def look_up(arguments: Arguments) -> dict[str, Any]:
    """Where a gene, transcript or protein lies; with its transcripts when expanded."""
    gene = gene_of(arguments)
    asked = arguments.get("id", gene.id).partition(".")[0]
    kind = re.sub(r"[^GTPE]", "", asked[-12]) or "G"
    chromosome, start, end, strand = gene.place
    told = {
        "id": asked, "object_type": KINDS[kind], "species": gene.species.name, "db_type": "core", "version": 4,
        "assembly_name": gene.species.assembly, "seq_region_name": chromosome, "start": start, "end": end,
        "strand": strand, "display_name": gene.symbol, "description": gene.description,
        "biotype": "protein_coding", "source": "ensembl_havana", "logic_name": "ensembl_havana_gene",
        "canonical_transcript": gene.part("T") + ".1",
    }  # fmt: skip
    if arguments.get("expand") == "1":
        told["Transcript"] = [_transcript(gene, n) for n in range(gene.transcripts)]
    return told


def _transcript(gene: SampleGene, number: int) -> dict[str, Any]:
    chromosome, start, end, strand = gene.place
    length = protein(gene.part("P", number))
    return {
        "id": gene.part("T", number), "display_name": f"{gene.symbol}-20{number + 1}", "biotype": "protein_coding",
        "is_canonical": int(number == 0), "seq_region_name": chromosome, "start": start + 10 * number, "end": end,
        "strand": strand, "length": 3 * len(length) + 400, "Parent": gene.id, "object_type": "Transcript",
        "Exon": [{"id": gene.part("E", number * 10 + n), "start": start + n * 900, "end": start + n * 900 + 150}
                 for n in range(4)],
        "Translation": {"id": gene.part("P", number), "length": len(length)},
    }  # fmt: skip


def relatives(arguments: Arguments) -> dict[str, Any]:
    """Homologues of a gene, by type, species and taxon."""
    gene = gene_of(arguments)
    wanted = arguments.get("type", "all")
    others = [s for s in all_species().values() if s.prefix.startswith("ENS") and s != gene.species]
    if target := arguments.get("target_species"):
        others = [s for s in others if s == species_named(target)]
    if number := arguments.get("target_taxon"):
        others = [s for s in others if str(s.taxon) == number]
    found = [_homologue(gene, gene_of_symbol(s, gene.symbol), "ortholog_one2one") for s in others]
    if wanted != "orthologues" and not (target or number):
        found += [
            _homologue(gene, SampleGene(gene.species, gene.number + n), "within_species_paralog")
            for n in (7, 8)
        ]
    if wanted == "paralogues":
        found = [h for h in found if "paralog" in h["type"]]
    return {"data": [{"id": gene.id, "homologies": found}]}


def _homologue(gene: SampleGene, other: SampleGene, kind: str) -> dict[str, Any]:
    roll = dice("homologue", gene.id, other.id)

    def side(one: SampleGene) -> dict[str, Any]:
        return {"id": one.id, "species": one.species.name, "protein_id": one.part("P"), "taxon_id": one.species.taxon,
                "perc_id": round(roll.uniform(40, 99), 3), "perc_pos": round(roll.uniform(50, 99), 3),
                "cigar_line": "120M", "align_seq": protein(one.id, 120)}  # fmt: skip

    return {"type": kind, "taxonomy_level": roll.choice(("Euarchontoglires", "Vertebrata", "Mammalia")),
            "method_link_type": "ENSEMBL_ORTHOLOGUES", "dn_ds": None, "source": side(gene), "target": side(other)}  # fmt: skip


def gene_tree(arguments: Arguments) -> dict[str, Any]:
    """The tree of a gene family."""
    symbol = gene_of(arguments).symbol if not arguments.get("id", "").startswith("ENSGT") else ""
    identifier = arguments["id"] if not symbol else f"ENSGT{dice('tree', symbol).randrange(10**10):014d}"
    symbol = symbol or dice("family", identifier).choice(SYMBOLS)
    chosen = [s for s in all_species().values() if s.prefix.startswith("ENS")][:12]
    if pruned := arguments.get("prune_species"):
        chosen = [s for s in chosen if s == species_named(pruned)]
    leaves = [_leaf(gene_of_symbol(s, symbol)) for s in chosen]
    root = {"children": leaves, "branch_length": 0, "events": {"type": "speciation"},
            "taxonomy": {"id": 7742, "scientific_name": "Vertebrata"}, "confidence": {"bootstrap": 87}}  # fmt: skip
    return {"type": "gene tree", "id": identifier, "rooted": 1, "tree": root}


def _leaf(gene: SampleGene) -> dict[str, Any]:
    return {"branch_length": round(dice("branch", gene.id).random(), 4),
            "id": {"accession": gene.id, "source": "EnsEMBL"},
            "sequence": {"id": [{"accession": gene.part("P")}], "name": gene.symbol, "mol_seq": {"seq": protein(gene.id, 60)}},
            "taxonomy": {"id": gene.species.taxon, "scientific_name": gene.species.scientific,
                         "common_name": gene.species.said[0].capitalize()}}  # fmt: skip


def cafe(arguments: Arguments) -> dict[str, Any]:
    """The tree of a family's gains and losses."""
    tree = gene_tree(arguments)
    roll = dice("cafe", tree["id"])
    children = [
        {"id": n, "n_members": roll.randrange(1, 6), "is_expansion": roll.randrange(2), "is_contraction": 0,
         "is_node_significant": roll.randrange(2), "pvalue": round(roll.random(), 3),
         "tax": {"scientific_name": leaf["taxonomy"]["scientific_name"], "common_name": leaf["taxonomy"]["common_name"]}}
        for n, leaf in enumerate(tree["tree"]["children"])
    ]  # fmt: skip
    return {"type": "cafe tree", "rooted": 1, "pvalue_avg": 0.42, "lambdas": 0.003,
            "tree": {"id": 1, "name": "Vertebrata", "n_members": 3, "children": children}}  # fmt: skip


def alignment(arguments: Arguments) -> list[Any]:
    """Aligned stretches of several genomes."""
    name, start, end = region_of(arguments)
    chosen = [species_of(arguments), *list(all_species().values())[:3]]
    rows = [{"species": s.name, "seq_region": name, "start": start, "end": end, "strand": 1, "description": "",
             "seq": dna(f"{s.name}{name}{start}", min(end - start + 1, 2000))} for s in chosen]  # fmt: skip
    return [{"tree": f"({','.join(str(r['species']) for r in rows)});", "alignments": rows}]


def cross_references(arguments: Arguments) -> list[Any]:
    """References of a gene to other databases."""
    gene = gene_of(arguments)
    rows = [("HGNC", f"HGNC:{gene.number % 50000}"), ("EntrezGene", str(gene.number % 100000)),
            ("Uniprot_gn", gene.accession), ("MIM_GENE", str(100000 + gene.number % 500000)),
            ("GO", "GO:0005667"), ("GO", "GO:0004672"), ("Reactome", f"R-HSA-{gene.number % 900000}")]  # fmt: skip
    wanted = arguments.get("external_db")
    return [{"dbname": db, "db_display_name": db.replace("_", " "), "primary_id": key, "display_id": gene.symbol,
             "version": "0", "info_type": "DEPENDENT", "info_text": "", "synonyms": [], "description": gene.description,
             **({"linkage_types": ["IEA"]} if db == "GO" else {})}
            for db, key in rows if wanted in {None, db}]  # fmt: skip


def sequence_of(arguments: Arguments) -> dict[str, Any]:
    """The sequence of a region or of an identifier. Refuses several where one is wanted."""
    if "region" in arguments:
        species = species_of(arguments)
        name, start, end = region_of(arguments)
        text = dna(f"{species.name}{name}{start}", end - start + 1)
        return {"id": f"chromosome:{species.assembly}:{name}:{start}:{end}:1", "molecule": "dna", "query": arguments["region"],
                "desc": None, "seq": text}  # fmt: skip
    gene = gene_of(arguments)
    asked = arguments["id"].partition(".")[0]
    kind = arguments.get("type") or ("protein" if asked[-12] == "P" else "genomic")
    if (
        kind in {"protein", "cds"}
        and asked[-12] == "G"
        and gene.transcripts > 1
        and arguments.get("multiple_sequences") != "1"
    ):
        raise ServiceRefused(
            400,
            {
                "error": f"{gene.transcripts} sequences returned when only one was expected; set multiple_sequences"
            },
        )
    text = protein(asked) if kind == "protein" else dna(asked + kind, 3 * len(protein(asked)))
    return {"id": asked, "molecule": "protein" if kind == "protein" else "dna", "query": arguments["id"], "version": 1,
            "desc": None, "seq": text}  # fmt: skip


def mapping_of(arguments: Arguments) -> dict[str, Any]:
    """Positions moved to another assembly, or from a product to the genome."""
    if "asm_one" in arguments:
        species = species_of(arguments)
        name, start, end = region_of(arguments)
        shift = dice("shift", name).randrange(-50000, 50000)
        place = {"seq_region_name": name, "strand": 1, "coord_system": "chromosome"}
        return {"mappings": [{
            "original": {**place, "assembly": arguments["asm_one"], "start": start, "end": end},
            "mapped": {**place, "assembly": arguments["asm_two"], "start": max(1, start + shift), "end": max(1, start + shift) + end - start},
        }], "species": species.name}  # fmt: skip
    gene = gene_of(arguments)
    chromosome, first, _, strand = gene.place
    _, start, end = region_of(arguments)
    scale = 3 if arguments["id"][-12:].startswith("P") else 1
    return {"mappings": [{"seq_region_name": chromosome, "start": first + scale * start, "end": first + scale * end, "strand": strand,
                          "assembly_name": gene.species.assembly, "coord_system": "chromosome", "rank": 0, "gap": 0}]}  # fmt: skip


def archived(arguments: Arguments) -> dict[str, Any]:
    """The newest version of an identifier."""
    gene = gene_of(arguments)
    return {"id": arguments["id"].partition(".")[0], "version": "14", "latest": f"{arguments['id'].partition('.')[0]}.14", "is_current": "1",
            "release": "113", "assembly": gene.species.assembly, "type": "Gene", "peptide": None, "possible_replacement": []}  # fmt: skip


def features(arguments: Arguments) -> list[Any]:
    """Features that overlap a region or a gene."""
    if "id" in arguments:
        chromosome, start, end, _ = gene_of(arguments).place
    else:
        species_of(arguments)
        chromosome, start, end = region_of(arguments)
    kind = arguments["feature"]
    roll = dice("features", chromosome, start, end, kind)
    found = []
    for number in range(roll.randrange(2, 15)):
        first = roll.randrange(start, end + 1)
        found.append({"feature_type": kind, "id": f"{kind}_{roll.randrange(10**6)}", "seq_region_name": chromosome,
                      "start": first, "end": min(end, first + roll.randrange(20, 2000)), "strand": 1,
                      "biotype": roll.choice(("protein_coding", "lncRNA")), "score": round(roll.uniform(1, 99), 1),
                      "source": "ensembl", "description": f"{kind} feature {number + 1}"})  # fmt: skip
    wanted = arguments.get("biotype")
    return [f for f in found if wanted in {None, f["biotype"]}]


def protein_features(arguments: Arguments) -> list[Any]:
    """Domains and other features of a protein."""
    gene = gene_of(arguments)
    roll = dice("domains", gene.id)
    rows = [("Pfam", "PF00069", "Protein kinase domain"), ("Superfamily", "SSF56112", "Kinase-like"), ("SMART", "SM00220", ""),
            ("low_complexity", "seg", ""), ("SignalP", "signal", "Signal peptide")]  # fmt: skip
    return [{"type": t, "id": i, "description": d, "start": (s := roll.randrange(1, 60)), "end": s + 40, "seq_region_name":
             gene.part("P"), "Parent": gene.part("T"), "feature_type": "protein_feature", "translation_id": gene.number}
            for t, i, d in rows if arguments.get("type") in {None, t}]  # fmt: skip
