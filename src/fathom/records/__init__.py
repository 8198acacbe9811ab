"""The frozen values that packages hand to each other."""

from fathom.records.answer import Answer, Assumption, Chart, Reading, Refusal
from fathom.records.cells import shown_value
from fathom.records.draft import Candidate, Draft, Selection
from fathom.records.profile import ColumnProfile, TableProfile, ValueFormat
from fathom.records.question import Question, SolvedCall, SolvedExample
from fathom.records.result import Limits, Result
from fathom.records.schema import Column, ForeignKey, Schema, Table
from fathom.records.trace import Step, Trace, Usage

__all__ = [
    "Answer",
    "Assumption",
    "Candidate",
    "Chart",
    "Column",
    "ColumnProfile",
    "Draft",
    "ForeignKey",
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
    "shown_value",
]
