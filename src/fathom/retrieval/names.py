"""The words inside the names of tables and columns: `custBirthDt2` is cust, birth, dt, 2."""

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import pairwise

from fathom.retrieval.words import fold, singular

_RUN = re.compile(r"[^\W\d_]+|\d+")
_SHORTEST_PART = 3

ABBREVIATIONS = {
    "acct": "account", "addr": "address", "amt": "amount", "appt": "appointment", "avg": "average",
    "bal": "balance", "bday": "birthday", "btw": "between", "cat": "category", "chr": "chromosome",
    "cnt": "count", "co": "company", "coord": "coordinate", "cust": "customer", "ctry": "country",
    "curr": "currency", "del": "delivery", "dep": "department", "dept": "department", "desc": "description",
    "dest": "destination", "diag": "diagnosis", "dim": "dimension", "dist": "distance", "dob": "birthdate",
    "doc": "document", "dt": "date", "emp": "employee", "est": "established", "exp": "expiry",
    "fk": "key", "fname": "firstname", "freq": "frequency", "govt": "government", "hosp": "hospital",
    "hr": "hour", "img": "image", "inv": "invoice", "lang": "language", "lat": "latitude",
    "lname": "lastname", "lng": "longitude", "loc": "location", "long": "longitude", "lon": "longitude",
    "max": "maximum", "mgr": "manager", "min": "minimum", "mo": "month", "msg": "message",
    "nat": "nationality", "nbr": "number", "no": "number", "num": "number", "org": "organization",
    "orig": "original", "pct": "percent", "perc": "percent", "phn": "phone", "pop": "population",
    "pos": "position", "prod": "product", "proj": "project", "prof": "professor", "pub": "publication",
    "pwd": "password", "qty": "quantity", "rec": "record", "ref": "reference", "reg": "registration",
    "rep": "representative", "sal": "salary", "seq": "sequence", "stat": "status", "std": "standard",
    "stu": "student", "subj": "subject", "tel": "telephone", "temp": "temperature", "trans": "transaction",
    "txn": "transaction", "univ": "university", "val": "value", "veh": "vehicle", "vol": "volume",
    "wt": "weight", "yr": "year",
}  # fmt: skip


def parts(name: str) -> list[str]:
    """The folded singular words of an identifier, split at case, digits and punctuation."""
    found = (fold(part) for run in _RUN.findall(name) for part in _split_at_case(run))
    return [singular(part) for part in found if part]


def _split_at_case(run: str) -> Iterator[str]:
    """`HTTPServer` is HTTP, Server; `IDs` is several of one ID."""
    if run.endswith("s") and run[:-1].isupper() and len(run) > 2:
        run = run[:-1]
    start = 0
    for at in range(1, len(run)):
        begins = run[at].isupper() and (run[at - 1].islower() or run[at + 1 : at + 2].islower())
        if begins:
            yield run[start:at]
            start = at
    yield run[start:]


def spelt_out(words: Iterable[str], known: Collection[str] = ()) -> list[str]:
    """The words a name may be asked for by: its own, abbreviations in full, compounds apart and together.

    A word like "birthdate" comes apart where both halves are among the known words.
    """
    own = list(words)
    found = dict.fromkeys(own)
    for word in own:
        if full := ABBREVIATIONS.get(word):
            found[full] = None
        for cut in range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1):
            if word[:cut] in known and word[cut:] in known:
                found[word[:cut]] = found[word[cut:]] = None
    found.update(dict.fromkeys(a + b for a, b in pairwise(own)))
    return list(found)
