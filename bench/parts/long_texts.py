"""Texts of up to 100,000 characters that are made to take a parser and a judge long."""

LONGEST = 100_000
_WORDS = 2_490  # about as many as are read beside lists of plain values

# What stands before it, what is repeated, what stands after it, and how many words the repeated part has.
_CHAINS = (
    ("SELECT ", "1+", "1", 2),
    ("SELECT a", " || b", "", 2),
    ("SELECT a", " ? 'b'", "", 2),
    ("SELECT a", "->'b'", "", 2),
    ("SELECT a", ' COLLATE "C"', "", 2),
    ("SELECT a", "::int", "", 2),
    ("SELECT a", "[1]", "", 3),
    ("SELECT a", "[1].b", "", 5),
    ("SELECT a", ".upper()", "", 4),
    ("SELECT a", " ~ 'x'", "", 2),
    ("SELECT a", ".b", "", 2),
    ("SELECT ", "x -> ", "1", 2),
    ("SELECT ", "NOT ", "a", 1),
    ("SELECT ", "a,", "a FROM kept", 2),
    ("SELECT ", "lower(a),", "1", 5),
    ("SELECT ", "CASE WHEN a THEN ", "b " + "END " * (_WORDS // 5), 5),
    ("SELECT 1 WHERE a", " OR b", "", 2),
    ("SELECT 1", " UNION SELECT 1", "", 3),
    ("SELECT 1 FROM a", " JOIN b ON a.x = b.y", "", 10),
    ("SELECT ", "(SELECT x.a FROM k y),", "1 FROM k x", 9),
    ("SELECT 1 FROM a", ", LATERAL (SELECT a.x) a", "", 9),
)
_NESTS = ("(", "lower(", "(SELECT ", "[", "date(", "date(lower(", "struct(", "array[", "coalesce(", "values(")


def texts() -> dict[str, str]:
    """Each text by what it is."""
    made = {
        f"chain of {unit.strip()}": head + unit * (_WORDS // words) + tail
        for head, unit, tail, words in _CHAINS
    }
    closing = {"(": ")", "[": "]"}
    for opening in _NESTS:
        end = "".join(closing[sign] for sign in reversed(opening) if sign in closing)
        wide = ",".join("a" * 1_200)
        made[f"nest of {opening}"] = "SELECT " + opening * 20 + "1" + end * 20
        made[f"nest of {opening}, wide"] = "SELECT " + opening * 20 + wide + end * 20
    made |= {f"run of {sign!r}": "SELECT " + sign * 99_000 for sign in "(){}[]+-*<@;$'\"`x1 \n\u00e9"}
    made["list of numbers"] = "SELECT 1 WHERE 1 IN (" + "1," * 4_900 + "1)"
    made["lists of numbers"] = "SELECT " + ",".join(["1 IN (" + ",".join("1" * 400) + ")"] * 110)
    made["rows of values"] = "VALUES " + "(1,'a')," * 4_900 + "(1,'b')"
    made["comments"] = "SELECT " + "/**/" * 24_000 + "1"
    made["a long string"] = "SELECT '" + "''" * 49_000 + "'"
    steps = ",".join(f"a{n + 1} AS (SELECT *, * FROM a{n})" for n in range(40))
    made["stars of stars"] = f"WITH a0 AS (SELECT 1 AS q),{steps} SELECT a40.q FROM a40"
    named = "".join(f" JOIN b b{n} ON b{n}.x = b0.y" for n in range(190))
    made["many tables"] = f"SELECT 1 FROM a{named}"
    return {name: text[:LONGEST] for name, text in made.items()}
