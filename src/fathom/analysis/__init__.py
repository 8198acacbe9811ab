"""Statements about a database: calculated, worded, read from text, and recomputed, all by the same code.

A report and the check of a report must not differ in what they calculate, so both stand on this package.
"""

from fathom.analysis.claim_reader import Reader, Statement
from fathom.analysis.claims import (
    AssociationClaim,
    ChangeClaim,
    CheckedClaim,
    Claim,
    CoMovementClaim,
    ComparisonClaim,
    DifferenceClaim,
    ExtremeClaim,
    ForecastClaim,
    NumberClaim,
    RecommendationClaim,
    ShareClaim,
    Stated,
    TrendClaim,
)
from fathom.analysis.context import SentenceContext
from fathom.analysis.figures import Figures
from fathom.analysis.quantities import Field, Measure, Period, Quantity, RowCondition
from fathom.analysis.query_reading import ReadQuery, read_query
from fathom.analysis.sentences import sentences
from fathom.analysis.verdicts import check, measure_of_figure
from fathom.analysis.vocabulary import Vocabulary

__all__ = [
    "AssociationClaim",
    "ChangeClaim",
    "CheckedClaim",
    "Claim",
    "CoMovementClaim",
    "ComparisonClaim",
    "DifferenceClaim",
    "ExtremeClaim",
    "Field",
    "Figures",
    "ForecastClaim",
    "Measure",
    "NumberClaim",
    "Period",
    "Quantity",
    "ReadQuery",
    "Reader",
    "RecommendationClaim",
    "RowCondition",
    "SentenceContext",
    "ShareClaim",
    "Stated",
    "Statement",
    "TrendClaim",
    "Vocabulary",
    "check",
    "measure_of_figure",
    "read_query",
    "sentences",
]
