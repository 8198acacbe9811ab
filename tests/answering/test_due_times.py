from datetime import UTC, datetime

import pytest

from fathom.answering.due_times import Every, next_due


@pytest.mark.parametrize(
    ("every", "minute", "weekday", "after", "due"),
    [
        ("hour", 15, 0, "2026-11-28T10:14:59", "2026-11-28T10:15"),
        ("hour", 15, 0, "2026-11-28T10:15:00", "2026-11-28T11:15"),
        ("hour", 15, 0, "2026-12-31T23:40:00", "2027-01-01T00:15"),
        ("day", 7 * 60, 0, "2026-11-28T06:59:00", "2026-11-28T07:00"),
        ("day", 7 * 60, 0, "2026-11-28T07:00:00", "2026-11-29T07:00"),
        ("week", 7 * 60, 0, "2026-11-28T12:00:00", "2026-11-30T07:00"),  # Saturday to Monday
        ("week", 7 * 60, 5, "2026-11-28T06:00:00", "2026-11-28T07:00"),
        ("week", 7 * 60, 5, "2026-11-28T08:00:00", "2026-12-05T07:00"),
        ("month", 90, 0, "2026-11-01T01:00:00", "2026-11-01T01:30"),
        ("month", 90, 0, "2026-12-31T23:00:00", "2027-01-01T01:30"),
        ("month", 90, 0, "2028-01-31T23:00:00", "2028-02-01T01:30"),
    ],
)
def test_the_next_due_time(every: Every, minute: int, weekday: int, after: str, due: str) -> None:
    moment = datetime.fromisoformat(after).replace(tzinfo=UTC)
    assert next_due(every, minute, weekday, moment) == datetime.fromisoformat(due).replace(tzinfo=UTC)
