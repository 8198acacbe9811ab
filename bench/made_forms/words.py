"""The names that made tables have: things, people, places, and the verbs of what befalls things."""

from random import Random
from typing import NamedTuple

NAMES = (
    "Ana Ben Cleo Dana Emil Fay Gus Hana Ivo Jana Karl Lena Milo Nora Otto Petra Quinn Rosa Sam Tara Ugo "
    "Vera Wim Xenia Yara Zoe Aldo Berta Cyril Doris Edgar Frida Gita Henk Ilse Jonas Kira Lukas Mona Nils"
).split()
YEARS = range(2018, 2025)
MONTHS = ("January February March April May June July August September October November December").split()


class Thing(NamedTuple):
    """What a table lists: its name in the singular and plural, the column of labels, and how these begin."""

    one: str
    many: str
    label: str
    begins: str


THINGS = (
    Thing("device", "devices", "label", "DV"),
    Thing("generator", "generators", "name", "G"),
    Thing("sensor", "sensors", "sensor_name", "Sn"),
    Thing("article", "articles", "title", "Piece"),
    Thing("machine", "machines", "machine_name", "Mx"),
    Thing("vehicle", "vehicles", "plate", "VB"),
    Thing("project", "projects", "project_name", "Pr"),
    Thing("printer", "printers", "label", "Prn"),
    Thing("pump", "pumps", "name", "Pump"),
    Thing("boat", "boats", "boat_name", "Boat"),
)


def a_thing(random: Random) -> Thing:
    """One of the things."""
    return random.choice(THINGS)


def labels(random: Random, thing: Thing, number: int) -> list[str]:
    """Different labels of a thing, in no order."""
    return [f"{thing.begins}-{n}" for n in random.sample(range(100, 999), number)]
