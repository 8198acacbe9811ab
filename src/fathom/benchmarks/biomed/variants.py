"""The variants that all tables share, and their associations with each disease.

Variants are numbered: first the known loci, then `partners` variants in linkage disequilibrium with each,
then the background, spread evenly over the genome. Everything about a variant follows from its number.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fathom.benchmarks.biomed import facts
from fathom.benchmarks.biomed.genome import Genome
from fathom.benchmarks.biomed.randomness import Floats, Ints, RandomStream, each, significant

# Effective sample sizes, which set the standard errors: se = 1 / sqrt(2 f (1 - f) N).
_SAMPLES = {"AD": 30_000, "PD": 8_000, "ALS": 8_000, "FTD": 600, "LBD": 2_500, "PSP": 1_500}
_LD_RANGE = 200_000
_LD_DECAY = 60_000
# Numbers that dbSNP had not reached, so that no variant made up here is taken for a real one.
_FIRST_MADE_UP = 3_000_000_000
_SMALLEST_P = 1e-300
_PAIRS = [(a, b) for a in "ACGT" for b in "ACGT" if a != b]


@dataclass(frozen=True, slots=True)
class VariantTable:
    """Variants by number: place, position, alleles as letters, frequency of A1, rsID as a number."""

    number: Ints
    place: Ints
    chromosome: Ints
    position: Ints
    position_37: Ints
    a1: NDArray[np.object_]
    a2: NDArray[np.object_]
    freq: Floats
    rsid: Ints


@dataclass(frozen=True, slots=True)
class VariantAssociation:
    """Effect of A1 (log odds), its standard error and p-value, consistent with each other as rounded."""

    b: Floats
    se: Floats
    p: Floats


class Universe:
    """All the variants of one knowledge base: `size` of them, of which `common` are in every table."""

    def __init__(self, seed: int, genome: Genome, size: int, partners: int) -> None:
        self.genome, self.size, self.partners = genome, size, partners
        self._random = RandomStream(seed, "variants")
        self.loci = facts.loci()
        self.common = len(self.loci) * (1 + partners)
        self.background = size - self.common
        self._lead_place = np.array(
            [
                genome.place(int((g := facts.genes()[x.gene]).chromosome), g.start + x.offset)
                for x in self.loci
            ]
        )
        self._lead_freq = np.array([x.freq for x in self.loci])
        self._lead_rsid = np.array([int(x.rsid[2:]) for x in self.loci])
        self._lead_pair = np.array([_PAIRS.index((x.a1, x.a2)) for x in self.loci])
        self._effects = {d: np.array([x.effects.get(d, 0.0) for x in self.loci]) for d in facts.DISEASES}

    def lead(self, numbers: Ints) -> Ints:
        """The locus that each variant belongs to, or -1 in the background."""
        n = len(self.loci)
        partner = (numbers - n) // max(self.partners, 1)
        return np.where(numbers < n, numbers, np.where(numbers < self.common, partner, -1))

    def near(self, places: Ints) -> Ints:
        """The number of a background variant near each place."""
        return self.common + np.clip(places * self.background // self.genome.size, 0, self.background - 1)

    def _distance(self, numbers: Ints) -> Ints:
        """Distance of a partner from its lead in base pairs; 0 for leads."""
        drawn = self._random["distance"].below(numbers, 2 * _LD_RANGE) - _LD_RANGE
        return np.where(numbers < len(self.loci), 0, np.where(drawn == 0, 1, drawn))

    def variants(self, numbers: Ints) -> VariantTable:
        """The variants of these numbers."""
        r, lead = self._random, self.lead(numbers)
        background = lead < 0
        spread = (numbers - self.common + r["place"].uniform(numbers)) / self.background * self.genome.size
        place = np.where(
            background, spread.astype(np.int64), self._lead_place[lead] + self._distance(numbers)
        )
        place = np.clip(place, 1, self.genome.size - 1)
        chromosome, position = self.genome.chromosome(place)
        pair = np.where(numbers < len(self.loci), self._lead_pair[lead], r["alleles"].below(numbers, 12))
        letters = np.array(_PAIRS, dtype=object)
        is_lead = numbers < len(self.loci)
        made_up = _FIRST_MADE_UP + (numbers * 7_919 + 11) % (1 << 30)
        return VariantTable(
            number=numbers,
            place=place,
            chromosome=chromosome,
            position=position,
            position_37=self.genome.in_37(chromosome, position),
            a1=letters[pair, 0],
            a2=letters[pair, 1],
            freq=self._frequencies(numbers, lead),
            rsid=np.where(is_lead, self._lead_rsid[lead], made_up),
        )

    def _frequencies(self, numbers: Ints, lead: Ints) -> Floats:
        """Frequencies of A1: many rare variants and fewer common ones; near a lead, like the lead's."""
        r = self._random["freq"]
        u = r.uniform(numbers)
        drawn = np.where(r["kind"].uniform(numbers) < 0.6, 0.001 * 500**u, 0.02 + 0.48 * u)
        drawn = np.where(r["major"].uniform(numbers) < 0.2, 1 - drawn, drawn)
        partner = np.clip(self._lead_freq[lead] * (0.6 + 0.8 * u), 0.0005, 0.9995)
        leads = self._lead_freq[lead]
        return np.where(lead < 0, drawn, np.where(numbers < len(self.loci), leads, partner))

    def association(self, disease: str, numbers: Ints) -> VariantAssociation:
        """The association of A1 with a disease, for variants of these numbers."""
        r, lead = self._random[disease], self.lead(numbers)
        samples = _SAMPLES[disease]
        freq = self._frequencies(numbers, lead)
        se = 1 / np.sqrt(2 * freq * (1 - freq) * samples * (0.75 + 0.25 * r["n"].uniform(numbers)))
        lead_freq = self._lead_freq[lead]
        lead_z = self._effects[disease][lead] * np.sqrt(2 * lead_freq * (1 - lead_freq) * samples)
        ld = np.exp(-np.abs(self._distance(numbers)) / _LD_DECAY)
        ld *= 0.5 + 0.5 * self._random["ld"].uniform(numbers)
        ld *= np.where(self._random["phase"].uniform(numbers) < 0.8, 1, -1)
        noise = r["z"].normal(numbers)
        z = np.where(lead < 0, 1.02 * noise, ld * lead_z + np.sqrt(1 - ld**2) * noise)
        effect = self._effects[disease][lead]
        known = (numbers < len(self.loci)) & (effect != 0)
        z = np.where(known, effect / se + 0.3 * noise, z)
        se = np.maximum(np.round(se, 4), 0.0001)
        b = np.round(z * se, 4)
        return VariantAssociation(b, se, p_value(b / se, 4))

    def nearest_gene(self, found: VariantTable) -> NDArray[np.object_]:
        """The nearest genes; for known loci the gene that they are known for."""
        nearest = self.genome.nearest(found.place)
        known = found.number < len(self.loci)
        if known.any():
            nearest[known] = [self.loci[i].gene for i in found.number[known]]
        return nearest


def p_value(z: Floats, digits: int) -> Floats:
    """The two-sided p-value of z, to so many digits; what is too small for a float becomes 1e-300."""
    p = each(math.erfc, np.abs(z) / math.sqrt(2))
    return significant(np.maximum(p, _SMALLEST_P), digits)
