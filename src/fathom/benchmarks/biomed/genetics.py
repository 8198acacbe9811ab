"""The tables about variants and genes: association statistics, allele frequencies, SMR, pathways."""

import math

import numpy as np
from numpy.typing import NDArray

from fathom.benchmarks.biomed import facts, tables
from fathom.benchmarks.biomed.genome import Genome
from fathom.benchmarks.biomed.randomness import Floats, Ints, RandomStream, each, shuffled, significant
from fathom.benchmarks.biomed.tables import Chunk, RowSource
from fathom.benchmarks.biomed.variants import Universe, p_value

_SNP = "'rs' || rsid"


_STUDIES = {
    "AD": (tables.AD_GWAS, "AD_combo_gene_notext_UUID_"),
    "PD": (tables.PD_GWAS, "PDno23andme_full_gene_notext_"),
    "ALS": (tables.ALS_GWAS, "ALS_gwas_UUID_"),
    "FTD": (tables.FTD_GWAS, "FTD_gwas_UUID_"),
    "LBD": (tables.LBD_GWAS, "LBD_gwas_UUID_"),
    "PSP": (tables.PSP_GWAS, "PSP_gwas_UUID_"),
}
"""The table of each study and what its identifiers begin with."""


def _uuid(prefix: str) -> str:
    return f"'{prefix}' || number"


def frequencies(universe: Universe) -> RowSource:
    """Allele frequencies of every variant."""

    def chunk(start: int, stop: int) -> Chunk:
        found = universe.variants(np.arange(start, stop))
        return {
            "number": found.number,
            "chr_38": found.chromosome,
            "rsid": found.rsid,
            "A1": found.a1,
            "A2": found.a2,
            "freq": np.round(found.freq, 6),
        }

    made = {"UUID": _uuid("NDD_allele_freq_UUID_"), "SNP": _SNP}
    return RowSource(tables.FREQUENCIES, universe.size, chunk, made)


def association(universe: Universe, seed: int, disease: str, rows: int, within: int) -> RowSource:
    """Summary statistics of one disease: `rows` of the variants, chosen among the first `within` rows' ones.

    The larger study is made with `within` equal to its own rows; the variants of the smaller one are then
    a part of it. In the smaller one a third of the variants are given for the other allele, and a few have
    no position in GRCh38.
    """
    table, prefix = _STUDIES[disease]
    random, smaller = RandomStream(seed, f"gwas/{disease}"), rows < within
    common = universe.common

    def chunk(start: int, stop: int) -> Chunk:
        row = np.arange(start, stop)
        among = (row - common) * (within - common) // (rows - common)
        number = np.where(row < common, row, common + among * universe.background // (within - common))
        found, stats = universe.variants(number), universe.association(disease, number)
        spread = 0.01 * np.sqrt(found.freq * (1 - found.freq)) * random.normal(number)
        freq = np.clip(found.freq + spread, 0.0001, 0.9999)
        swap = smaller & (row >= len(universe.loci)) & (random["swap"].uniform(number) < 1 / 3)
        lost = smaller & (row >= common) & (random["lost"].uniform(number) < 0.04)
        return {
            "number": row,
            "rsid": found.rsid,
            "A1": np.where(swap, found.a2, found.a1),
            "A2": np.where(swap, found.a1, found.a2),
            "freq": np.round(np.where(swap, 1 - freq, freq), 4),
            "b": np.where(swap, -stats.b, stats.b) + 0.0,
            "se": stats.se,
            "p": stats.p,
            "chr_37": found.chromosome,
            "bp_37": found.position_37,
            "chr_38": np.where(lost, 0, found.chromosome),
            "bp_38": np.where(lost, 0, found.position),
            "nearestGene": universe.nearest_gene(found),
        }

    return RowSource(table, rows, chunk, {"UUID": _uuid(prefix), "SNP": _SNP})


class _Tests:
    """Which (gene, disease, assay) each row of the SMR table is about; every combination at most once."""

    def __init__(self, universe: Universe, seed: int, rows: int) -> None:
        genome, self.seed = universe.genome, seed
        self.leads: dict[str, list[int]] = {}
        for number, locus in enumerate(universe.loci):
            self.leads.setdefault(locus.gene, []).append(number)
        self.known = np.array([genome.index[g] for g in self.leads])
        self.others = np.setdiff1d(np.arange(len(genome.symbols)), self.known)
        self.kinds = len(facts.DISEASES) * len(facts.omics())
        self.about_known = min(int(rows * 0.4), len(self.known) * self.kinds)
        self.most = self.about_known + len(self.others) * self.kinds

    def __call__(self, row: Ints) -> tuple[Ints, Ints, Ints]:
        """The gene, disease and assay of each row, as positions in their lists."""
        first = shuffled(row, len(self.known) * self.kinds, self.seed)
        rest = shuffled(row - self.about_known, len(self.others) * self.kinds, self.seed)
        known = row < self.about_known
        which = np.where(known, first, rest)
        gene = np.where(
            known,
            self.known[which // self.kinds % len(self.known)],
            self.others[which // self.kinds % len(self.others)],
        )
        kind = which % self.kinds
        return gene, kind // len(facts.omics()), kind % len(facts.omics())


def smr(universe: Universe, seed: int, rows: int) -> RowSource:
    """Tests of whether a gene's level mediates a variant's effect on a disease (Zhu et al. 2016)."""
    tests = _Tests(universe, seed, rows)
    random, genome = RandomStream(seed, "smr"), universe.genome
    top = _TopVariants(universe, tests)
    symbols = np.array(genome.symbols, dtype=object)
    ensembl = np.array([facts.ensembl(s) for s in genome.symbols], dtype=object)
    assays = np.array(facts.omics(), dtype=object)
    diseases = np.array([(d, facts.DISEASE_NAMES[d]) for d in facts.DISEASES], dtype=object)

    def chunk(start: int, stop: int) -> Chunk:
        row = np.arange(start, stop)
        gene, disease, assay = tests(row)
        probe = gene * len(assays) + assay
        chromosome, position = genome.chromosome((genome.begin[gene] + genome.end[gene]) // 2)
        snp = universe.variants(top(gene, disease, probe))
        methylation = assays[assay, 1] == "mQTL"
        cg = np.array([f"cg{n:08d}" for n in (probe * 104_729 % 99_999_989).tolist()], dtype=object)
        chunk: Chunk = {
            "number": row,
            "Omic": assays[assay, 0],
            "Disease": diseases[disease, 0],
            "probeID": np.where(methylation, cg, ensembl[gene]),
            "ProbeChr": chromosome,
            "Gene": symbols[gene],
            "Probe_bp": genome.in_37(chromosome, position),
            "rsid": snp.rsid,
            "topSNP_chr": snp.chromosome,
            "topSNP_bp": snp.position_37,
            "A1": snp.a1,
            "A2": snp.a2,
            "Freq": significant(snp.freq, 6),
            "Omic_tissue": assays[assay, 2],
            "Omic_type": assays[assay, 2] + " " + assays[assay, 1],
            "Disease_name": diseases[disease, 1],
            "Source": assays[assay, 3],
        }
        return chunk | _smr_statistics(
            universe, random, snp.number, snp.freq, disease=disease, gene=gene, probe=probe
        )

    made = {
        "UUID": _uuid("NDD_SMR_genes_all_update_text_"),
        "topSNP": _SNP,
        "topRSID": _SNP,
        "func_sig": "CASE WHEN p_SMR_multi < 2.95e-6 AND p_HEIDI > 0.01 THEN 'functionally significant' "
        "ELSE 'not functionally significant' END",
    }
    return RowSource(tables.SMR, min(rows, tests.most), chunk, made)


class _TopVariants:
    """The variant that a test stands on: the gene's known locus for the disease, or one close by."""

    def __init__(self, universe: Universe, tests: _Tests) -> None:
        self._universe = universe
        self._lead = np.full((len(universe.genome.symbols), len(facts.DISEASES)), -1)
        for gene, numbers in tests.leads.items():
            for j, disease in enumerate(facts.DISEASES):
                best = max(numbers, key=lambda n: abs(universe.loci[n].effects.get(disease, 0.0)))
                self._lead[universe.genome.index[gene], j] = best

    def __call__(self, gene: Ints, disease: Ints, probe: Ints) -> Ints:
        genome = self._universe.genome
        shift = RandomStream(0, "smr/top").below(probe, 100_000) - 50_000
        near = self._universe.near(genome.begin[gene] + shift)
        lead = self._lead[gene, disease]
        return np.where(lead >= 0, lead, near)


def _smr_statistics(
    universe: Universe,
    random: RandomStream,
    snp: Ints,
    freq: Floats,
    *,
    disease: Ints,
    gene: Ints,
    probe: Ints,
) -> Chunk:
    """Statistics of the tests: b_SMR = b_GWAS / b_eQTL, its z from both z by the delta method."""
    b_gwas, se_gwas, p_gwas = (np.empty(len(snp)) for _ in range(3))
    for j, code in enumerate(facts.DISEASES):
        rows = disease == j
        stats = universe.association(code, snp[rows])
        b_gwas[rows], se_gwas[rows], p_gwas[rows] = stats.b, stats.se, stats.p
    strength = 4.9 + 22 * random["strength"].uniform(probe) ** 2
    sign = np.where(random["sign"].uniform(probe) < 0.5, -1.0, 1.0)
    samples = 300 + 900 * random["samples"].uniform(probe)
    se_eqtl = significant(1 / np.sqrt(2 * freq * (1 - freq) * samples), 6)
    b_eqtl = significant(sign * strength * se_eqtl, 6)
    z_gwas, z_eqtl = b_gwas / se_gwas, b_eqtl / se_eqtl
    b_smr = b_gwas / b_eqtl
    # Without an effect the ratio has no z; its error is then that of the numerator alone.
    z = np.abs(z_gwas * z_eqtl) / np.sqrt(z_gwas**2 + z_eqtl**2)
    none = se_gwas / np.abs(b_eqtl)
    p_smr = p_value(z, 6)
    test = probe * len(facts.DISEASES) + disease
    several = np.minimum(p_smr ** (0.85 + 0.3 * random["several"].uniform(test)), 1.0)
    count = 1 + random["count"].below(test, 20)
    return {
        "b_GWAS": b_gwas,
        "se_GWAS": se_gwas,
        "p_GWAS": p_gwas,
        "b_eQTL": b_eqtl,
        "se_eQTL": se_eqtl,
        "p_eQTL": p_value(z_eqtl, 6),
        "b_SMR": significant(b_smr, 6) + 0.0,
        "se_SMR": significant(np.where(z > 0, np.abs(b_smr) / np.maximum(z, 1e-12), none), 6),
        "p_SMR": p_smr,
        "p_SMR_multi": significant(several, 6),
        "p_HEIDI": _heterogeneity(random, gene * len(facts.DISEASES) + disease, test, count),
        "nsnp_HEIDI": np.where(count < 3, np.nan, count),
    }


def _heterogeneity(random: RandomStream, pair: Ints, test: Ints, count: Ints) -> NDArray[np.float64]:
    """p-values of the HEIDI test: small for the pairs that are mere linkage; missing below 3 variants."""
    linkage = random["linkage"].uniform(pair) < 0.35
    u = random["heidi"].uniform(test)
    found = np.where(linkage, 10 ** -(2.1 + 6 * u), 0.003 + 0.99 * u)
    return np.where(count < 3, np.nan, significant(found, 6))


def pathways(genome: Genome, seed: int, disease: str, rows: int) -> RowSource:
    """Sets of genes tested together: the genes joined by ";", how many, z-like statistic and p-value."""
    table = {"AD": tables.AD_PATHWAYS, "PD": tables.PD_PATHWAYS}[disease]
    random = RandomStream(seed, f"pathways/{disease}")
    known = sorted({x.gene for x in facts.loci() if disease in x.effects})
    other = sorted(g.symbol for g in facts.genes().values() if g.symbol not in known)

    def chunk(start: int, stop: int) -> Chunk:
        row = np.arange(start, stop)
        sizes = 4 + (random.uniform(row) ** 2 * 50).astype(np.int64)
        found = np.minimum(random["known"].below(row, 8) ** 2 // 9, sizes)
        members = [
            _members(random, known, other, row=int(r), size=int(s), found=int(k))
            for r, s, k in zip(row, sizes, found, strict=True)
        ]
        z = np.round(random["z"].normal(row) + 1.2 * found, 4)
        return {
            "number": row,
            "genes": np.array([";".join(m) for m in members], dtype=object),
            "size": np.array([len(m) for m in members]),
            "statistic": z,
            "p": significant(each(lambda v: 0.5 * math.erfc(v / math.sqrt(2)), z), 4),
        }

    return RowSource(table, rows, chunk, {"UUID": _uuid(f"{disease}_gene_assoc_pathways_UUID_")})


def _members(
    random: RandomStream, known: list[str], other: list[str], *, row: int, size: int, found: int
) -> list[str]:
    """The genes of one set: `found` of those known for the disease among `size` in all."""
    draw = np.arange(size) + row * 1_000
    picks = random["genes"].uniform(draw)
    names = [known[int(u * len(known))] for u in picks[:found]]
    return sorted({*names, *(other[int(u * len(other))] for u in picks[found:])})
