"""The ten further tables of the variant with twenty: what a lab would have beside, with the same keys."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from fathom.benchmarks.biomed import facts, tables
from fathom.benchmarks.biomed.drugs import Pharmacy, array
from fathom.benchmarks.biomed.genetics import association
from fathom.benchmarks.biomed.genome import Genome
from fathom.benchmarks.biomed.randomness import RandomStream, significant
from fathom.benchmarks.biomed.tables import Chunk, RowSource
from fathom.benchmarks.biomed.variants import Universe

ANCESTRIES = ("African", "Admixed American", "East Asian", "European", "South Asian")
_STATUSES = ("COMPLETED", "COMPLETED", "RECRUITING", "TERMINATED", "ACTIVE, NOT RECRUITING", "WITHDRAWN")
_SPONSORS = (
    "Northfield Pharma", "Harbour Generics", "Meridian Biologics", "Tessera Therapeutics",
    "University of Oakmoor", "Larkspur Institute", "National Institute of Ageing",
)  # fmt: skip
_SPREAD = 0.08
"""How far frequencies of one variant lie apart between ancestries, as a standard deviation."""


def more_sources(
    universe: Universe, genome: Genome, pharmacy: Pharmacy, seed: int, share: float
) -> tuple[RowSource, ...]:
    """The ten further tables; `share` is of the rows that they have beside the published ones."""
    count = {table: round(n * share) for table, n in tables.MORE_ROWS.items()}
    largest = round(tables.PUBLISHED[tables.AD_GWAS] * share)
    studies = {"ALS": tables.ALS_GWAS, "FTD": tables.FTD_GWAS, "LBD": tables.LBD_GWAS, "PSP": tables.PSP_GWAS}
    return (
        *(association(universe, seed, d, min(count[t], largest), largest) for d, t in studies.items()),
        _population_frequencies(universe, seed, count[tables.POPULATIONS]),
        _expression(seed),
        _genes(genome),
        _pathway_genes(seed),
        _mechanisms(pharmacy),
        _trials(pharmacy, seed, max(count[tables.TRIALS], 500)),
    )


def _population_frequencies(universe: Universe, seed: int, rows: int) -> RowSource:
    """The frequency of the same allele in five ancestries, for the variants that come first."""
    random = RandomStream(seed, "populations")
    names = np.array(ANCESTRIES, dtype=object)

    def chunk(start: int, stop: int) -> Chunk:
        row = np.arange(start, stop)
        number, which = row // len(names), row % len(names)
        found = universe.variants(number)
        shift = _SPREAD * random.normal(row) * np.sqrt(found.freq * (1 - found.freq))
        freq = np.clip(found.freq + np.where(names[which] == "European", 0.0, shift), 0.0001, 0.9999)
        return {
            "number": row, "chr_38": found.chromosome, "rsid": found.rsid, "A1": found.a1, "A2": found.a2,
            "ancestry": names[which], "freq": np.round(freq, 6),
            "alleles": 2 * (400 + random["people"].below(row, 20_000)),
        }  # fmt: skip

    made = {"UUID": "'population_freq_UUID_' || number", "SNP": "'rs' || rsid"}
    return RowSource(tables.POPULATIONS, min(rows, universe.size * len(names)), chunk, made)


def _listed(table: str, prefix: str, records: Sequence[Sequence[Any]]) -> RowSource:
    """A table of rows that are at hand, the columns in their order after the UUID."""
    names = [n for n in tables.ALL_COLUMNS[table] if n != "UUID"]

    def chunk(start: int, stop: int) -> Chunk:
        found: Chunk = {"number": np.arange(start, stop)}
        for name, values in zip(names, zip(*records[start:stop], strict=True), strict=True):
            found[name] = array(values, tables.ALL_COLUMNS[table][name])
        return found

    return RowSource(table, len(records), chunk, {"UUID": f"'{prefix}' || number"})


def _expression(seed: int) -> RowSource:
    """How much of each known gene's RNA is found in each tissue, in transcripts per million."""
    tissues = sorted({tissue for _, _, tissue, _ in facts.omics()})
    pairs = list(itertools.product(sorted(facts.genes()), tissues))
    random = RandomStream(seed, "expression")
    rows = np.arange(len(pairs))
    level = significant(np.exp(1.5 + 1.6 * random.normal(rows)), 4)
    samples = 80 + random["samples"].below(rows, 700)
    held = zip(pairs, level.tolist(), samples.tolist(), strict=True)
    records = [(gene, facts.ensembl(gene), tissue, tpm, n) for (gene, tissue), tpm, n in held]
    return _listed(tables.EXPRESSION, "gene_expression_UUID_", records)


def _genes(genome: Genome) -> RowSource:
    known = facts.genes()
    records = [
        (s, facts.ensembl(s), known[s].name if s in known else "uncharacterised locus", *where)
        for s, where in zip(genome.symbols, _places(genome), strict=True)
    ]
    return _listed(tables.GENES, "gene_annotation_UUID_", records)


def _places(genome: Genome) -> list[tuple[int, int, int]]:
    chromosome, start = genome.chromosome(genome.begin)
    _, end = genome.chromosome(genome.end)
    return list(zip(chromosome.tolist(), start.tolist(), end.tolist(), strict=True))


def _pathway_genes(seed: int) -> RowSource:
    """Which genes a named pathway holds, a row each: nobody's sets, drawn from the seed."""
    genes, random = sorted(facts.genes()), RandomStream(seed, "named pathways")
    records = []
    for number in range(120):
        size = 4 + int(random["size"].below(np.array([number]), 30)[0])
        drawn = random[f"members/{number}"].below(np.arange(size), len(genes))
        name = f"PATHWAY_{number + 1:03}"
        records += [(name, genes[i], facts.ensembl(genes[i]), size) for i in sorted({*drawn.tolist()})]
    return _listed(tables.PATHWAY_GENES, "pathway_gene_UUID_", records)


def _mechanisms(pharmacy: Pharmacy) -> RowSource:
    """Give a row for each drug and each of its targets, with the drug's action there."""
    records = [
        (
            pharmacy.chembl(i),
            drug.name,
            target,
            drug.action,
            drug.mechanism,
            "single protein",
            len(drug.targets),
        )
        for i, drug in enumerate(pharmacy.drugs)
        for target in drug.targets
    ]
    return _listed(tables.MECHANISMS, "drug_mechanism_UUID_", records)


def _trials(pharmacy: Pharmacy, seed: int, rows: int) -> RowSource:
    """Clinical trials of drugs for the diseases that they were tried for, none in a phase not reached."""
    tried = [(i, c, phase) for i, d in enumerate(pharmacy.drugs) for c, phase in d.indications.items()]
    random = RandomStream(seed, "trials")

    def pick(name: str, row: int, many: int) -> int:
        return int(random[name].below(np.array([row]), many)[0])

    def record(row: int) -> Sequence[Any]:
        drug, code, reached = tried[pick("tried", row, len(tried))]
        return (
            f"NCT9{row:07d}", pharmacy.chembl(drug), pharmacy.drugs[drug].name,
            pharmacy.indications[code].mesh_heading, 1 + pick("phase", row, max(int(reached), 1)),
            _STATUSES[pick("status", row, len(_STATUSES))], 1998 + pick("year", row, 26),
            20 + pick("people", row, 1_500), _SPONSORS[pick("sponsor", row, len(_SPONSORS))],
        )  # fmt: skip

    return _made(tables.TRIALS, "clinical_trial_UUID_", rows, record)


def _made(table: str, prefix: str, rows: int, record: Callable[[int], Sequence[Any]]) -> RowSource:
    """A table whose rows are made one by one."""
    names = [n for n in tables.ALL_COLUMNS[table] if n != "UUID"]

    def chunk(start: int, stop: int) -> Chunk:
        found: Chunk = {"number": np.arange(start, stop)}
        columns: Mapping[str, Any] = dict(
            zip(names, zip(*map(record, range(start, stop)), strict=True), strict=True)
        )
        return found | {n: array(v, tables.ALL_COLUMNS[table][n]) for n, v in columns.items()}

    return RowSource(table, rows, chunk, {"UUID": f"'{prefix}' || number"})
