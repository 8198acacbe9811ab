"""Says plainly what English has expressions for: "from the eighties" as "between 1980 and 1989"."""

import re

from fathom.offline.linking.wordlists import TENS
from fathom.text.patterns import Pattern

_TENTHS = {
    (name.removesuffix("y") + "ies" if name != "twenty" else "twenties"): n for name, n in TENS.items()
}
_DECADE = Pattern(
    r"\b(?P<how>in|from|of|during|over|since|before|after|until)\s+(?-i:the)\s+"
    rf"(?:(?P<year>[12]\d\d0)['\u2019]?s|['\u2019]?(?P<tens>[2-9]0)['\u2019]?s|(?P<said>{'|'.join(_TENTHS)}))"
    r"(?=\s*(?:[?.!,;]|$|\s(?:and|or|by|with|that|who|which|have|has|had|are|is|were|was)\b))",
    re.IGNORECASE,
)
_NO_SUCH = Pattern(
    r"\b(?P<no>(?:has|have|had|with|there\s+is)\s+no|without(?:\s+an?)?)\s+(?P<what>[a-z][\w-]*(?:\s+[a-z][\w-]*)?)\s+"
    r"(?:listed|given|recorded|stated|specified|known|entered|set|noted|on\s+(?:file|record))\b"
    r"(?!\s+(?:by|in|to|from|for|as)\b)",
    re.IGNORECASE,
)
_WITHOUT_GIVING = Pattern(
    r"\bwithout\s+(?:giving|having|leaving|stating|naming|entering|specifying|providing|listing)\s+"
    r"(?=(?:an?|any|the|their|its|his|her)\s)",
    re.IGNORECASE,
)
_NOW = Pattern(r"(?<=[a-z])(?<!ing)\s+(?:at\s+the\s+moment|at\s+present)(?=\s*[?.!]*$)", re.IGNORECASE)
_HERE = Pattern(
    r"^(how\s+many\s+\w+(?:\s\w+)?)\s+(?:work|are\s+working)\s+(?:here|there|for\s+(?:us|(?:the|our|this)\s+(?:company|firm|business)))"
    r"(?=\s*[?.!]*$)",
    re.IGNORECASE,
)

_THEY_ARE_IN = Pattern(
    r"\b(with|and)\s+the\s+([a-z]+)\s+(?:that\s+|which\s+)?(?:they|it|he|she)\s+"
    r"(?:are|is|were|was|works?|lives?|belongs?|comes?|came)\s+(?:on|in|at|for|to|from|by)(?=\s*(?:[?.!,]|$|and\b))",
    re.IGNORECASE,
)
_COME_FROM = Pattern(
    r"^(?:which|what)\s+([a-z]+s)\s+do\s+(?:(?:our|the|all)\s+)*([a-z]+s)\s+"
    r"(?:come\s+from|live\s+in|belong\s+to|work\s+(?:in|for))(?=\s*[?.!]*$)",
    re.IGNORECASE,
)
_BELOW_SEA = Pattern(r"\b(?:(?:lies?|are|is)\s+(?P<verb>)|with\s+)?below\s+sea\s+level\b", re.IGNORECASE)

_THAN = Pattern(r"\b(greater|larger|higher|bigger|lower|smaller)\s+(?=\d)", re.IGNORECASE)
_ENDS = r"(?=\s*(?:[?.!,;]|$|\s(?:and|by|with|that|who|which|have|has)\b))"
_YEAR = r"(?:the\s+year\s+)?([12]\d{3})"
_SINCE = Pattern(
    rf"\b(?:in\s+or\s+after\s+{_YEAR}|in\s+{_YEAR}\s+or\s+(?:after|later)|from\s+{_YEAR}\s+on(?:wards?)?)"
    rf"{_ENDS}",
    re.IGNORECASE,
)
_UNTIL = Pattern(
    rf"\b(?:in\s+or\s+before\s+{_YEAR}|in\s+{_YEAR}\s+or\s+(?:before|earlier))"
    rf"{_ENDS}",
    re.IGNORECASE,
)
_SPLIT_BY = Pattern(
    r",?\s+(?:(?:split|broken\s+(?:down|out|up)|segmented|split\s+up|breakdown|stratified)\s+by|in\s+terms\s+of)\b",
    re.IGNORECASE,
)
_WITH_US = Pattern(
    r"(?<=[a-z])\s+(?:from|with)\s+us(?=\s+(?:in|during|since|before|after|between|both|more|at|for)\b|[\s?.!]*$)",
    re.IGNORECASE,
)
_RANKED = Pattern(
    r"^rank\s+(?:(?:all|the|our)\s+)*(?P<what>\w+(?:\s\w+)?)\s+by\s+(?P<by>.+?)[\s.!]*$", re.IGNORECASE
)
_OF_THE_NAME = Pattern(
    r"\b(?:with|of|by|having|bearing|under)\s+the\s+(?:name|title)\s+(?=[\"'\u201c\u2018])", re.IGNORECASE
)
_THEN_SORT = Pattern(
    r"[.?!]\s+(?:please\s+|then\s+)?(?:sort|order|rank|arrange)\s+(?:(?:the|your|these|those|all)\s+)?"
    r"(?:(?:results?|output|rows?|list|answers?|them|it)\s+)?(?=(?:by|in|from)\s)",
    re.IGNORECASE,
)


def plainly(text: str) -> str:
    """The text with decades as years, and with what adds nothing to "no phone listed" left out.

    "The album they are on" is their album; "which countries do customers come from" asks for those of the
    customers. "How many people work here" asks how many there are, and "at the moment" is when everything
    is that is told of no time. "Greater 30" is "greater than 30", "in or after 2005" is "since 2005". "Split
    by" and "in terms of" are "by", "rank x by y" is "y by x, highest first", "with the name" is "named",
    and an order that a second sentence asks for ends the first. Nothing is said by "from us" and "with us".
    """
    text = _OF_THE_NAME.sub("named ", text)
    text = _THEN_SORT.sub(", sorted ", _SPLIT_BY.sub(" by", text))
    text = _DECADE.sub(_years, text)
    text = _NO_SUCH.sub(r"\g<no> \g<what>", text)
    text = _WITHOUT_GIVING.sub("without ", text)
    text = _NOW.sub("", text)
    text = _THEY_ARE_IN.sub(r"\1 their \2", text)
    text = _COME_FROM.sub(r"What are the different \1 of the \2", text)
    text = _BELOW_SEA.sub(lambda m: f"{'with' if m['verb'] is None else 'have'} an elevation below 0", text)
    text = _THAN.sub(r"\1 than ", text)
    text = _SINCE.sub(lambda m: f"since {m[m.lastindex or 0]}", text)
    text = _UNTIL.sub(lambda m: f"until {m[m.lastindex or 0]}", text)
    text = _WITH_US.sub("", text)
    text = _RANKED.sub(r"\g<by> by \g<what>, highest first", text)
    return _HERE.sub(r"\1 are there", text)


def _years(match: re.Match[str]) -> str:
    """A decade as the years that it has, or as the one that bounds it."""
    first = int(match["year"] or 1900 + int(match["tens"] or _TENTHS[match["said"].casefold()]))
    match match["how"].casefold():
        case "since" | "before" | "until" as bound:
            return f"{bound} {first}"
        case "after":
            return f"after {first + 9}"
    return f"between {first} and {first + 9}"
