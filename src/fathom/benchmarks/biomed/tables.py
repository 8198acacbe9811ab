"""How a table of the knowledge base is described, and the shapes of the ten published tables and ten more."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

Chunk = dict[str, NDArray[Any]]

AD_GWAS = "AlzheimerDisease_CombinedGeneData_UUID"
PD_GWAS = "ParkinsonDisease_CompleteGeneData_No23andMe"
AD_PATHWAYS = "AlzheimerDisease_GeneAssoc_Pathways_UUID"
PD_PATHWAYS = "ParkinsonDisease_GeneAssoc_Pathways_UUID"
SMR = "NeurodegenerativeDiseases_SMR_Genes_Full"
FREQUENCIES = "NeurodegenerativeDisease_AlleleFrequencies_UUID"
DRUGS = "DrugGeneTargets_ComprehensiveAnnotations_updated"
INDICATIONS = "DrugTargets_IndicationsAndTherapeuticUses"
LICENSES = "DrugTargets_LiscensingAndUses"
DOSAGES = "DrugTargets_UsesAndDosages"

ALS_GWAS = "AmyotrophicLateralSclerosis_GWAS_SummaryStatistics"
FTD_GWAS = "FrontotemporalDementia_GWAS_SummaryStatistics"
LBD_GWAS = "LewyBodyDementia_GWAS_SummaryStatistics"
PSP_GWAS = "ProgressiveSupranuclearPalsy_GWAS_SummaryStatistics"
POPULATIONS = "PopulationAlleleFrequencies_ByAncestry"
EXPRESSION = "GeneExpression_ByTissue"
GENES = "GeneAnnotations_Positions"
PATHWAY_GENES = "Pathways_GeneMembership"
MECHANISMS = "DrugMechanisms_ByTarget"
TRIALS = "ClinicalTrials_DrugsAndConditions"

# Rows of the further tables beside the published ones; those that aren't here have what is known.
MORE_ROWS = {
    ALS_GWAS: 10_000_000,
    FTD_GWAS: 6_000_000,
    LBD_GWAS: 7_800_000,
    PSP_GWAS: 6_500_000,
    POPULATIONS: 15_000_000,
    TRIALS: 400_000,
}

# Rows as published; a knowledge base of another size keeps the proportions.
PUBLISHED = {
    AD_GWAS: 21_100_000,
    PD_GWAS: 7_800_000,
    AD_PATHWAYS: 542,
    PD_PATHWAYS: 1_016,
    SMR: 1_700_000,
    FREQUENCIES: 72_200_000,
    DRUGS: 6_391,
    INDICATIONS: 1_200_000,
    LICENSES: 2_097,
    DOSAGES: 211_000,
}

_TYPES = {"s": "VARCHAR", "i": "BIGINT", "f": "DOUBLE", "b": "BOOLEAN"}


def _columns(spec: str) -> dict[str, str]:
    """Column types by name, from "name:s", where the letter is left out for text."""
    parts = (part.partition(":") for part in spec.split())
    return {name: _TYPES[letter or "s"] for name, _, letter in parts}


_GWAS = _columns("UUID SNP A1 A2 freq:f b:f se:f p:f chr_37:i bp_37:i chr_38:i bp_38:i nearestGene")
_PATHWAYS = _columns("UUID genes size:i statistic:f p:f")

COLUMNS: Mapping[str, Mapping[str, str]] = {
    AD_GWAS: _GWAS,
    PD_GWAS: _GWAS,
    AD_PATHWAYS: _PATHWAYS,
    PD_PATHWAYS: _PATHWAYS,
    SMR: _columns(
        "UUID Omic Disease probeID ProbeChr:i Gene Probe_bp:i topSNP topSNP_chr:i topSNP_bp:i A1 A2 Freq:f "
        "b_GWAS:f se_GWAS:f p_GWAS:f b_eQTL:f se_eQTL:f p_eQTL:f b_SMR:f se_SMR:f p_SMR:f p_SMR_multi:f "
        "p_HEIDI:f nsnp_HEIDI:f topRSID Omic_type Omic_tissue Disease_name Source func_sig"
    ),
    FREQUENCIES: _columns("UUID chr_38:i SNP A1 A2 freq:f"),
    DRUGS: _columns(
        "UUID chemblIdentifier blackBoxWarning:b drugName drugMolecularType yearOfFirstApproval:i "
        "maxClinicalTrialPhase:i drugHasBeenWithdrawn:b drugIsApproved:b tradeNames_string "
        "drugSynonyms_string linkedDiseasesDrug_string linkedDiseasesCount:i newLinkedTargets_string "
        "numberLinkedTargets:i drugDescription drugActionType drugMechanismOfAction tradename_count:i "
        "synonyms_count:i"
    ),
    INDICATIONS: _columns(
        "UUID chemblId drugName tradeName drugType actionType targetType target approvedSymbol approvedName "
        "yearOfFirstApproval:i usan_year:f patent_no max_phase_for_ind:f mesh_id mesh_heading efo_id "
        "efo_term tradeNames_list tradename_count:i syns_list synonyms_count:i ct"
    ),
    LICENSES: _columns(
        "UUID applicant blaNumber tradeName drugName properName blaType strength dosageForm "
        "routeOfAdministration productPresentation marketingStatus licensure submissionType licenseNumber "
        "productNumber center"
    ),
    DOSAGES: _columns(
        "UUID productType tradeName drugName dosageForm dosageRoute labelerName activeDosage_strength "
        "activeIngredient_strength mechanismOfAction_pharma packageDescription"
    ),
}


ALL_COLUMNS: Mapping[str, Mapping[str, str]] = {
    **COLUMNS,
    ALS_GWAS: _GWAS,
    FTD_GWAS: _GWAS,
    LBD_GWAS: _GWAS,
    PSP_GWAS: _GWAS,
    POPULATIONS: _columns("UUID SNP chr_38:i A1 A2 ancestry freq:f alleles:i"),
    EXPRESSION: _columns("UUID Gene ensemblId tissue tpm:f samples:i"),
    GENES: _columns("UUID Gene ensemblId approvedName chr_38:i start_38:i end_38:i"),
    PATHWAY_GENES: _columns("UUID pathway Gene ensemblId size:i"),
    MECHANISMS: _columns(
        "UUID chemblId drugName approvedSymbol actionType mechanismOfAction targetType targets:i"
    ),
    TRIALS: _columns(
        "UUID nctId chemblId drugName mesh_heading phase:i status startYear:i enrollment:i sponsor"
    ),
}
"""The columns of all twenty tables; `COLUMNS` has the ten that were published."""


@dataclass(frozen=True, slots=True)
class RowSource:
    """Where the rows of a table come from: `chunk(start, stop)` gives these rows' columns, by name.

    `made` are SQL expressions over the chunk for columns that the engine makes faster than NumPy does.
    """

    table: str
    rows: int
    chunk: Callable[[int, int], Chunk]
    made: Mapping[str, str] = field(default_factory=dict)

    @property
    def select(self) -> str:
        """The SQL that turns a chunk into rows of the table."""
        return ", ".join(
            f'CAST({self.made.get(name, _quoted(name))} AS {kind}) AS "{name}"'
            for name, kind in ALL_COLUMNS[self.table].items()
        )


def _quoted(name: str) -> str:
    return f'"{name}"'
