"""Expressions in words: functions are told by what they take, days by steps from today."""

import pytest

from fathom.offline.finishing.description import shown
from fathom.offline.queries.query import ColumnRef, FunctionCall, Literal, TableRef

SENT = ColumnRef(TableRef("orders"), "sent")


def call(name: str, *arguments: ColumnRef | FunctionCall | str) -> FunctionCall:
    return FunctionCall(name, tuple(Literal(a) if isinstance(a, str) else a for a in arguments))


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        (call("date", "now"), "today"),
        (call("date", "now", "start of year"), "the start of this year"),
        (call("date", "now", "start of year", "-1 years"), "1 year before the start of this year"),
        (call("date", "now", "-30 days"), "30 days before today"),
        (call("date", "now", "+2 months"), "2 months after today"),
        (call("date", SENT), "orders.sent"),
        (call("strftime", "%Y-%m", SENT), "the month of orders.sent"),
        (call("lower", call("cast", SENT, "text")), "orders.sent"),
        (call("median", SENT), "the median orders.sent"),
        (call("strftime", "%s", SENT), "a calculation"),
        (call("instr", SENT, "a"), "a calculation"),
    ],
)
def test_functions_are_told_by_what_they_take(expression: FunctionCall, said: str) -> None:
    assert shown(expression) == said
