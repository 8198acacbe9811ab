"""The times at which something is due again and again, in UTC."""

from datetime import datetime, timedelta
from typing import Literal

Every = Literal["hour", "day", "week", "month"]


def next_due(every: Every, minute: int, weekday: int, after: datetime) -> datetime:
    """The first due time after a moment.

    `minute` counts from midnight, for each hour from its beginning; `weekday` counts from Monday, for weeks
    alone. Months are due on their first day.
    """
    midnight = after.replace(hour=0, minute=0, second=0, microsecond=0)
    if every == "hour":
        due = after.replace(minute=minute % 60, second=0, microsecond=0)
        return due if due > after else due + timedelta(hours=1)
    if every == "month":
        due = midnight.replace(day=1) + timedelta(minutes=minute)
        if due <= after:
            due = (midnight.replace(day=1) + timedelta(days=32)).replace(day=1) + timedelta(minutes=minute)
        return due
    days = (weekday - after.weekday()) % 7 if every == "week" else 0
    due = midnight + timedelta(days=days, minutes=minute)
    return due if due > after else due + timedelta(days=7 if every == "week" else 1)
