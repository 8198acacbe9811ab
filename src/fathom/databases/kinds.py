"""The family of a column's type, shared by all engines."""

from fathom.records.schema import ColumnKind

_NAMES: dict[ColumnKind, str] = {
    "integer": """int integer tinyint smallint mediumint bigint hugeint int2 int4 int8 int16 int32 int64
        int128 uint8 uint16 uint32 uint64 ubigint uinteger usmallint utinyint uhugeint serial bigserial
        smallserial long year counter autoincrement""",
    "number": """real float float4 float8 double decimal numeric number dec fixed money smallmoney
        currency bignumeric bigdecimal""",
    "text": """text char character varchar varchar2 nvarchar nvarchar2 nchar native bpchar string clob
        nclob tinytext mediumtext longtext name citext uuid enum set xml inet cidr macaddr tsvector
        uniqueidentifier""",
    "boolean": "boolean bool logical",
    "date": "date",
    "time": "time timetz time_ns",
    "datetime": """datetime datetime2 smalldatetime timestamp timestamptz timestamp_s timestamp_ms
        timestamp_ns timestamp_us timestamp_ntz timestamp_ltz timestamp_tz""",
    "json": "json jsonb variant",
    "blob": "blob bytea bytes binary varbinary tinyblob mediumblob longblob image raw",
    "other": """bit interval point polygon geometry geography map struct union list array vector null row
        object range hyperloglog tdigest qdigest""",
}
_KINDS = {word: kind for kind, words in _NAMES.items() for word in words.split()}
_AFFINITY: tuple[tuple[str, ColumnKind], ...] = (
    ("int", "integer"),
    ("char", "text"),
    ("clob", "text"),
    ("text", "text"),
    ("blob", "blob"),
    ("real", "number"),
    ("floa", "number"),
    ("doub", "number"),
)


def kind_of(type_name: str) -> ColumnKind:
    """The family of a type by its name, such as `number` for `DECIMAL(10, 2) UNSIGNED`.

    An unknown name goes by SQLite's rules of affinity: what contains INT holds integers, and so on.
    """
    name = type_name.strip().casefold()
    if not name or name.endswith("]"):
        return "other"
    if name.replace(" ", "").startswith("tinyint(1)"):
        return "boolean"
    word = "".join(c if c.isalnum() or c == "_" else " " for c in name.split("(")[0]).split()
    if word and word[0] in _KINDS:
        return "number" if name.startswith("long double") else _KINDS[word[0]]
    return next((kind for part, kind in _AFFINITY if part in name), "other")
