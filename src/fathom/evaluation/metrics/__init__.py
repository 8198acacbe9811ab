"""Every figure of docs/metrics.md, from plain values; none is printed without its N."""

from fathom.evaluation.metrics.across import (
    FailureOverlap,
    correct_at_budget,
    failure_overlap,
    pareto_front,
    solved_by,
)
from fathom.evaluation.metrics.agreement import (
    LABELS,
    Correlation,
    Preference,
    accuracy_where_agreed,
    cohen_kappa,
    cramers_v,
    exact_agreement,
    gwet_ac1,
    pearson,
    spearman,
)
from fathom.evaluation.metrics.alpha import krippendorff_alpha
from fathom.evaluation.metrics.calls import ArgumentErrors, argument_errors
from fathom.evaluation.metrics.clustered import Clustered, clustered_mean, holm
from fathom.evaluation.metrics.confidence import (
    Bin,
    RiskCoverage,
    calibration,
    calibration_error,
    risk_coverage,
)
from fathom.evaluation.metrics.efficiency import r_ves, reward, robust_ratio, ves
from fathom.evaluation.metrics.modules import (
    Conditioned,
    Overlap,
    Transitions,
    condition_on_recall,
    overlap,
    pass_at,
    transitions,
)
from fathom.evaluation.metrics.paired import (
    NothingInCommon,
    PairedMeans,
    PairedRates,
    mcnemar,
    pair,
    paired_bootstrap,
)
from fathom.evaluation.metrics.partial import jaccard, soft_f1
from fathom.evaluation.metrics.rates import Mean, Rate, means

__all__ = [
    "LABELS",
    "ArgumentErrors",
    "Bin",
    "Clustered",
    "Conditioned",
    "Correlation",
    "FailureOverlap",
    "Mean",
    "NothingInCommon",
    "Overlap",
    "PairedMeans",
    "PairedRates",
    "Preference",
    "Rate",
    "RiskCoverage",
    "Transitions",
    "accuracy_where_agreed",
    "argument_errors",
    "calibration",
    "calibration_error",
    "clustered_mean",
    "cohen_kappa",
    "condition_on_recall",
    "correct_at_budget",
    "cramers_v",
    "exact_agreement",
    "failure_overlap",
    "gwet_ac1",
    "holm",
    "jaccard",
    "krippendorff_alpha",
    "mcnemar",
    "means",
    "overlap",
    "pair",
    "paired_bootstrap",
    "pareto_front",
    "pass_at",
    "pearson",
    "r_ves",
    "reward",
    "risk_coverage",
    "robust_ratio",
    "soft_f1",
    "solved_by",
    "spearman",
    "transitions",
    "ves",
]
