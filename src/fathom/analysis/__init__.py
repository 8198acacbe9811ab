"""Statements about a database: calculated, worded, read from text, and recomputed, all by the same code.

A report and the check of a report must not differ in what they calculate, so both stand on this package.
"""

from fathom.analysis.checking import check
from fathom.analysis.claims import (
    Association,
    Change,
    Checked,
    Claim,
    Comparison,
    Difference,
    Extreme,
    Forecast,
    NumberClaim,
    Recommendation,
    Share,
    Stated,
    Together,
    Trend,
)
from fathom.analysis.figures import Figures
from fathom.analysis.quantities import Condition, Field, Measure, Period, Quantity
from fathom.analysis.reading import Reader, Statement
from fathom.analysis.sentences import sentences
from fathom.analysis.vocabulary import Vocabulary

__all__ = [
    "Association",
    "Change",
    "Checked",
    "Claim",
    "Comparison",
    "Condition",
    "Difference",
    "Extreme",
    "Field",
    "Figures",
    "Forecast",
    "Measure",
    "NumberClaim",
    "Period",
    "Quantity",
    "Reader",
    "Recommendation",
    "Share",
    "Stated",
    "Statement",
    "Together",
    "Trend",
    "Vocabulary",
    "check",
    "sentences",
]
