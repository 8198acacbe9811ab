"""Read pack files: recognise what a path holds, validate it, and report every problem with its line."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from fathom import registry
from fathom.errors import InputError, InputErrors, did_you_mean
from fathom.knowledge import bird, sql_eval
from fathom.knowledge.lessons import pack_of, read_lessons
from fathom.knowledge.lines import Document, read_toml, read_yaml
from fathom.knowledge.pack import KnowledgePack

_SETTINGS = frozenset(("config.toml", "pyproject.toml", "package.json", "tsconfig.json"))
"""Files of settings, of Fathom's own and other tools': never packs, whatever else is in their folder."""
_ENDINGS = (".yaml", ".yml", ".toml", ".json", ".csv")


def load_packs(*paths: str | Path) -> KnowledgePack:
    """The packs of these files, folders or registered names (such as "biomed"), merged in this order.

    What a file is, its content tells: a pack as YAML, TOML or JSON, a description file as BIRD ships them
    (CSV), or one as sql-eval does (JSON). A folder stands for its pack files in the order of their names.
    No path at all gives an empty pack. Raises `InputErrors` with all the problems of all the files.
    """
    packs: list[KnowledgePack] = []
    problems: list[InputError] = []
    for file in [f for p in paths for f in _files(p)]:
        try:
            packs.append(read_pack(file))
        except InputErrors as error:
            problems += error.problems
        except InputError as error:
            problems.append(error)
    if problems:
        raise InputErrors(problems)
    return KnowledgePack().merge(*packs)


def _files(path: str | Path) -> list[Path]:
    found = Path(path).expanduser()
    if found.is_dir():
        files = sorted(f for f in found.iterdir() if f.suffix.lower() in _ENDINGS and f.is_file())
        if not files:
            raise InputError(f"no pack files in this folder ({', '.join(_ENDINGS)})", file=found)
        return files
    if found.exists():
        return [found]
    names = registry.names("packs")
    if str(path) in names:
        return [Path(registry.load("packs", str(path)))]
    beside = (f for f in sorted(found.parent.glob("*")) if f.suffix in _ENDINGS and f.name not in _SETTINGS)
    near = did_you_mean(str(path), [*names, *map(str, beside)])
    raise InputError(f"there is no such pack file, folder or registered pack.{near}", file=path)


def read_pack(file: Path) -> KnowledgePack:
    """The pack in one file. Raises `InputErrors` with every problem found, by line and field."""
    text = _decoded(file)
    if file.suffix.lower() == ".csv":
        return bird.read(text, file)
    document = read_toml(text, file) if file.suffix.lower() == ".toml" else read_yaml(text, file)
    if isinstance(document.content, Mapping) and "table_metadata" in document.content:
        return sql_eval.read(document.content, file)
    if isinstance(document.content, Mapping) and "lessons" in document.content:
        return pack_of(read_lessons(document.content, file), file)
    return validate(document, file)


def _decoded(file: Path) -> str:
    try:
        raw = file.read_bytes()
    except OSError as error:
        raise InputError(f"can't be read: {error.strerror or error}", file=file) from None
    if b"\0" in raw[:4096] and not raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError("this is not a text file", file=file)
    encodings = ("utf-16",) if raw.startswith((b"\xff\xfe", b"\xfe\xff")) else ("utf-8-sig", "cp1252")
    for encoding in encodings:
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return raw.decode("latin-1")


def validate(document: Document, file: Path) -> KnowledgePack:
    """The pack that a document describes. Raises `InputErrors` with every problem found."""
    content = {} if document.content is None else document.content
    if not isinstance(content, Mapping):
        raise InputErrors(
            [InputError("a pack is a mapping with keys such as 'tables', 'glossary'", file=file, line=1)]
        )
    problems = [
        InputError(
            "this key stands here twice", file=file, line=document.line(path), field=".".join(map(str, path))
        )
        for path in document.repeated
    ]
    known = {k: v for k, v in content.items() if k not in ("$schema", "sources", "conflicts")}
    try:
        pack = KnowledgePack.model_validate({**known, "sources": (str(file),)})
    except ValidationError as error:
        problems += _problems(error.errors(include_url=False), document, file)
    if problems:
        raise InputErrors(sorted(problems, key=lambda p: p.line or 0))
    return pack if pack.name else pack.model_copy(update={"name": file.stem})


def _problems(errors: Iterable[ErrorDetails], document: Document, file: Path) -> list[InputError]:
    found: dict[tuple[str, str], InputError] = {}
    for error in errors:
        path = _path_in(document.content, error["loc"])
        field = ".".join(str(p) for p in path)
        problem = _said(error)
        found.setdefault(
            (field, problem), InputError(problem, file=file, line=document.line(path), field=field or None)
        )
    return list(found.values())


def _path_in(content: Any, location: Iterable[str | int]) -> tuple[str | int, ...]:
    """The part of a pydantic location that is in the file: it also names types of unions."""
    path: list[str | int] = []
    for step in location:
        inside = isinstance(content, Mapping) and step in content
        if inside or (isinstance(content, list) and isinstance(step, int) and step < len(content)):
            content = content[step]
            path.append(step)
        elif isinstance(content, Mapping):
            path.append(step)
            content = None
    return tuple(path)


def _said(error: ErrorDetails) -> str:
    kind, location = error["type"], error["loc"]
    if kind in ("extra_forbidden", "unexpected_keyword_argument"):
        near = did_you_mean(str(location[-1]), _keys_at(location[:-1]))
        return f"there is no key {location[-1]!r} here.{near}"
    if kind == "missing":
        return "this key is needed, and missing"
    if kind == "value_error":
        return str(error["ctx"]["error"])
    given = error["input"]
    if kind in _WANTED:
        return f"here should stand {_WANTED[kind]}{_shown(given)}"
    return error["msg"][0].lower() + error["msg"][1:] + _shown(given)


_WANTED = {
    **dict.fromkeys(("tuple_type", "list_type"), "a list"),
    **dict.fromkeys(("dict_type", "mapping_type", "model_type", "dataclass_type"), "keys with their values"),
    "string_type": "text",
    "bool_type": "true or false",
}
"""The names of kinds of values, as authors of packs know them."""


def _shown(given: Any) -> str:
    return f" (given: {given!r:.60})" if not isinstance(given, Mapping | list | tuple) else ""


def _keys_at(location: tuple[str | int, ...]) -> tuple[str, ...]:
    """The keys allowed at a place of a pack, found by following the types of the fields down to it."""
    here: Any = KnowledgePack
    for step in location:
        here = _field_type(here, step)
    if isinstance(here, type) and issubclass(here, BaseModel):
        return tuple(n for n in here.model_fields if n not in ("sources", "conflicts"))
    return tuple(getattr(here, "__dataclass_fields__", ()))


def _field_type(here: Any, step: str | int) -> Any:
    if isinstance(here, type) and issubclass(here, BaseModel):
        field = here.model_fields.get(str(step))
        return field.annotation if field else None
    for inner in reversed(get_args(here)):
        if inner is not Ellipsis:
            return get_args(inner)[0] if hasattr(inner, "__metadata__") else inner
    return None
