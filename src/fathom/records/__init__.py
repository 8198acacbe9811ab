"""The frozen values that packages hand to each other."""

from fathom.records.answer import MOST_READINGS, Answer, Assumption, Chart, Ending, Reading, Refusal
from fathom.records.cells import shown_column, shown_rows, shown_value, shown_with_unit
from fathom.records.draft import Candidate, Draft, Selection
from fathom.records.interval import Interval
from fathom.records.profile import ColumnProfile, TableProfile, ValueFormat
from fathom.records.question import Question, SolvedCall, SolvedExample, query_digest
from fathom.records.result import Limits, Result
from fathom.records.schema import Column, ForeignKey, Schema, Table
from fathom.records.trace import Step, Trace, Usage

__all__ = [
    "MOST_READINGS",
    "Answer",
    "Assumption",
    "Candidate",
    "Chart",
    "Column",
    "ColumnProfile",
    "Draft",
    "Ending",
    "ForeignKey",
    "Interval",
    "Limits",
    "Question",
    "Reading",
    "Refusal",
    "Result",
    "Schema",
    "Selection",
    "SolvedCall",
    "SolvedExample",
    "Step",
    "Table",
    "TableProfile",
    "Trace",
    "Usage",
    "ValueFormat",
    "query_digest",
    "shown_column",
    "shown_rows",
    "shown_value",
    "shown_with_unit",
]
