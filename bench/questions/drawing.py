"""What the small databases of our own are drawn with: days, names, values of which some are likelier."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from random import Random
from typing import Any

Row = Sequence[Any]
Made = tuple[str, Mapping[str, Iterable[Row]]]
"""The statements that create a database's tables, and the rows of each."""
START = date(2020, 1, 1)
NAMES = ("Ann", "Bo", "Carla", "Dev", "Elif", "Femi", "Goran", "Hana", "Ines", "Jonas", "Kim", "Lena")
LAST_NAMES = ("Ahmed", "Bauer", "Costa", "Dubois", "Eze", "Fischer", "Garcia", "Haas", "Ito", "Jensen")


def a_day(random: Random, days: int = 1400) -> date:
    """A day in some four years, later ones likelier, as businesses grow."""
    return START + timedelta(days=int(days * random.random() ** 0.7))


def one_of(random: Random, weights: dict[str, float]) -> str:
    return random.choices(list(weights), list(weights.values()))[0]


def a_name(random: Random) -> str:
    return f"{random.choice(NAMES)} {random.choice(LAST_NAMES)}"
