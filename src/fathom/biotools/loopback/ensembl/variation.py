"""Ensembl's answers about variants: linkage, consequences, phenotypes, populations."""

from collections.abc import Callable
from typing import Any

from fathom.biotools.catalogue.names import populations
from fathom.biotools.loopback.ensembl.arguments import (
    Arguments,
    gene_of,
    population_of,
    region_of,
    species_of,
)
from fathom.biotools.loopback.world import DISORDERS, SYMBOLS, dice, gene_of_symbol, protein

CONSEQUENCES = (
    "missense_variant",
    "intron_variant",
    "synonymous_variant",
    "stop_gained",
    "3_prime_UTR_variant",
)


def _variants(arguments: Arguments) -> list[dict[str, Any]]:
    name, start, end = region_of(arguments)
    roll = dice("variants", name, start, end)
    places = sorted(roll.randrange(start, end + 1) for _ in range(30))
    return [{"variation": f"rs{roll.randrange(10**5, 10**9)}", "place": f"{name}:{p}"} for p in places]


def _linkage(variants: list[str], population: str, arguments: Arguments) -> list[Any]:
    pairs = []
    for n, one in enumerate(variants):
        for other in variants[n + 1 :]:
            roll = dice("linkage", *sorted((one, other)), population)
            r2, d = round(roll.random(), 6), round(min(1.0, roll.uniform(0.5, 1.5)), 6)
            if r2 >= float(arguments.get("r2", 0)) and d >= float(arguments.get("d_prime", 0)):
                pairs.append({"variation1": one, "variation2": other, "r2": str(r2), "d_prime": str(d),
                              "population_name": population})  # fmt: skip
    return pairs


def linkage_in_region(arguments: Arguments) -> list[Any]:
    """Pairs of variants inside a region, with their linkage in a population."""
    species_of(arguments)
    return _linkage([v["variation"] for v in _variants(arguments)][:12], population_of(arguments), arguments)


def linkage_around(arguments: Arguments) -> list[Any]:
    """Pairs of one variant with its neighbours."""
    species_of(arguments)
    roll = dice("around", arguments["id"])
    others = [f"rs{roll.randrange(10**5, 10**9)}" for _ in range(8)]
    pairs = _linkage([arguments["id"], *others], population_of(arguments), arguments)
    return [p for p in pairs if p["variation1"] == arguments["id"]]


def linkage_pairwise(arguments: Arguments) -> list[Any]:
    """The linkage of two variants, in one population or in several."""
    species_of(arguments)
    names = [population_of(arguments)] if "population_name" in arguments else list(populations()[:5])
    return [row for n in names for row in _linkage([arguments["id1"], arguments["id2"]], n, arguments)]


def phenotypes_of(arguments: Arguments) -> list[Any]:
    """Phenotype annotations of a gene, region, term or accession."""
    species_of(arguments)
    key = next(v for k, v in arguments.items() if k in {"gene", "region", "term", "accession"})
    roll = dice("phenotypes", key)
    described = arguments.get("term")
    return [{"description": described or roll.choice(DISORDERS), "source": roll.choice(("ClinVar", "OMIM", "NHGRI-EBI GWAS catalog")),
             "Variation": f"rs{roll.randrange(10**5, 10**9)}", "location": f"{roll.randrange(1, 22)}:{roll.randrange(10**7)}-{10**7}",
             "attributes": {"p_value": f"{roll.randrange(1, 9)}e-{roll.randrange(5, 40)}", "clinical_significance": "pathogenic"},
             "mapped_to_accession": arguments.get("accession", "EFO:0000270")} for _ in range(roll.randrange(3, 40))]  # fmt: skip


def consequences_of(arguments: Arguments) -> list[Any]:
    """Predicted consequences of a variant on the transcripts of a gene."""
    species = species_of(arguments)
    key = arguments.get("id") or arguments.get("hgvs_notation") or arguments["region"] + arguments["allele"]
    roll = dice("vep", key)
    gene = gene_of_symbol(species, roll.choice(SYMBOLS))
    terms = [roll.choice(CONSEQUENCES) for _ in range(gene.transcripts)]
    transcripts = [{"transcript_id": gene.part("T", n), "gene_id": gene.id, "gene_symbol": gene.symbol, "biotype": "protein_coding",
                    "consequence_terms": [term], "impact": "MODERATE", "variant_allele": "C", "strand": 1,
                    **({"amino_acids": "V/E", "protein_start": 600, "sift_prediction": "deleterious", "sift_score": 0.01,
                        "polyphen_prediction": "probably_damaging"} if term == "missense_variant" else {}),
                    **({"canonical": 1} if n == 0 and arguments.get("canonical") == "1" else {})}
                   for n, term in enumerate(terms)]  # fmt: skip
    chromosome, start, _, strand = gene.place
    return [{"input": key, "id": key, "assembly_name": species.assembly, "seq_region_name": chromosome, "start": start, "end": start,
             "strand": strand, "allele_string": "G/C", "most_severe_consequence": terms[0], "transcript_consequences": transcripts,
             "colocated_variants": [{"id": f"rs{roll.randrange(10**5, 10**9)}", "allele_string": "G/C", "clin_sig": ["benign"]}]}]  # fmt: skip


def variant_of(arguments: Arguments) -> dict[str, Any]:
    """The record of a known variant."""
    species = species_of(arguments)
    name = arguments["id"]
    roll = dice("variant", name)
    start = roll.randrange(10**6, 10**8)
    told = {
        "name": name, "source": "Variants (including SNPs and indels) imported from dbSNP", "var_class": "SNP",
        "most_severe_consequence": roll.choice(CONSEQUENCES), "MAF": round(roll.random() / 2, 4), "minor_allele": "A",
        "ambiguity": "R", "ancestral_allele": "G", "synonyms": [], "evidence": ["Frequency", "1000Genomes"],
        "clinical_significance": [roll.choice(("benign", "pathogenic", "risk factor"))],
        "mappings": [{"assembly_name": species.assembly, "location": f"{roll.randrange(1, 22)}:{start}-{start}", "start": start, "end": start,
                      "strand": 1, "allele_string": "G/A", "coord_system": "chromosome", "seq_region_name": "1"}],
    }  # fmt: skip
    if arguments.get("phenotypes") == "1":
        told["phenotypes"] = [{"trait": roll.choice(DISORDERS), "source": "ClinVar"}]
    if arguments.get("pops") == "1":
        told["populations"] = [
            {"population": p, "allele": "A", "frequency": round(roll.random(), 4)} for p in populations()[:6]
        ]
    return told


def of_paper(arguments: Arguments) -> list[Any]:
    """Variants that a paper cites."""
    key = arguments.get("pmid") or arguments["pmcid"]
    roll = dice("paper", key)
    return [
        variant_of({**arguments, "id": f"rs{roll.randrange(10**5, 10**9)}"})
        for _ in range(roll.randrange(1, 8))
    ]


def recoded(arguments: Arguments) -> list[Any]:
    """The identifiers and notations of a variant."""
    species = species_of(arguments)
    roll = dice("recoded", arguments["id"])
    gene = gene_of_symbol(species, roll.choice(SYMBOLS))
    place = roll.randrange(10**6, 10**8)
    forms = {"id": [f"rs{roll.randrange(10**5, 10**9)}"], "hgvsg": [f"NC_000001.11:g.{place}G>A"], "hgvsc": [f"{gene.part('T')}.1:c.803T>C"],
             "hgvsp": [f"{gene.part('P')}.1:p.Met268Thr"], "spdi": [f"NC_000001.11:{place - 1}:G:A"]}  # fmt: skip
    wanted = arguments.get("fields", ",".join(forms)).split(",")
    return [{"A": {"input": arguments["id"], **{k: v for k, v in forms.items() if k in wanted}}}]


def people_of(arguments: Arguments) -> list[Any]:
    """The individuals of a population."""
    species_of(arguments)
    roll = dice("people", name := population_of(arguments))
    people = [
        {
            "name": f"1000GENOMES:phase_3:NA{roll.randrange(18000, 21000)}",
            "gender": roll.choice(("Male", "Female")),
        }
        for _ in range(60)
    ]
    return [{"name": name, "size": "60", "description": f"Individuals of {name}", "individuals": people}]


def all_populations(arguments: Arguments) -> list[Any]:
    """The populations of a species."""
    species = species_of(arguments)
    held = [
        n
        for n in populations()
        if (n.startswith("NextGen")) == (species.name in {"capra_hircus", "ovis_aries", "bos_taurus"})
    ]
    return [{"name": n, "size": str(60 + len(n)), "description": f"Population {n}"} for n in held]


def haplotypes_of(arguments: Arguments) -> dict[str, Any]:
    """The haplotypes of a transcript."""
    gene = gene_of(arguments)
    roll = dice("haplotypes", gene.id)

    def some(kind: str) -> list[Any]:
        return [{"name": f"{gene.part(kind)}:{'REF' if n == 0 else f'{n * 10}V>M'}", "count": roll.randrange(1, 5000),
                 "frequency": round(roll.random(), 4), "population_frequencies": {"_all": 0.5}, "seq": protein(gene.id, 30)} for n in range(4)]  # fmt: skip

    return {"transcript_id": gene.part("T"), "total_haplotype_count": 5008, "protein_haplotypes": some("P"), "cds_haplotypes": some("T"),
            "total_population_counts": {"_all": 5008}}  # fmt: skip


def beacon_of(arguments: Arguments) -> dict[str, Any]:
    """Answer a beacon's query: was the allele observed, and where?"""
    roll = dice("beacon", *sorted(arguments.items()))
    return {"beaconId": "ensembl", "apiVersion": "v2.0.0", "responseSummary": {"exists": True, "numTotalResults": 1}, "error": None,
            "response": {"resultSets": [{"id": "1kg", "exists": True, "results": [{
                "variation": {"location": {"sequence_id": arguments["referenceName"], "interval": {"start": arguments["start"]}},
                              "referenceBases": arguments["referenceBases"], "alternateBases": arguments.get("alternateBases", "")},
                "identifiers": {"genomicHGVSId": f"{arguments['referenceName']}:g.{arguments['start']}", "rsid": f"rs{roll.randrange(10**8)}"},
                "frequencyInPopulations": [{"population": "gnomADg:ALL", "alleleFrequency": round(roll.random(), 5)}]}]}]}}  # fmt: skip


def record_of(kind: str) -> Callable[[Arguments], dict[str, Any]]:
    """Builder for GA4GH records of a kind."""

    def build(arguments: Arguments) -> dict[str, Any]:
        key = arguments["id"]
        roll = dice(kind, key)
        return {"id": key, "name": f"{kind} {key}", "datasetId": "6e340c4d1e333c7a676b1710d2e3953c", "referenceSetId": "GRCh38",
                "length": str(roll.randrange(10**6, 10**8)), "md5checksum": f"{roll.getrandbits(128):032x}", "info": {}}  # fmt: skip

    return build
