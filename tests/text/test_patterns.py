import re

import pytest

from fathom.text.patterns import Pattern


def test_a_pattern_does_what_a_compiled_one_does() -> None:
    lazy, plain, text = Pattern(r"(\d)(a)?", re.IGNORECASE), re.compile(r"(\d)(a)?", re.IGNORECASE), "x1A 2"
    assert [m.span() for m in lazy.finditer(text)] == [m.span() for m in plain.finditer(text)]
    assert lazy.findall(text) == plain.findall(text)
    assert lazy.split(text) == plain.split(text)
    assert (lazy.sub("-", text), lazy.subn("-", text)) == (plain.sub("-", text), plain.subn("-", text))
    assert lazy.sub("-", text, count=1) == "x- 2"
    found = lazy.search(text, 2)
    assert found is not None
    assert found[0] == "2"
    assert lazy.match(text) is None
    assert lazy.match(text, 1) is not None
    assert lazy.fullmatch("1") is not None
    assert lazy.fullmatch("1b") is None


def test_nothing_is_compiled_before_it_is_used() -> None:
    broken = Pattern("(")
    with pytest.raises(re.error):
        broken.search("")
