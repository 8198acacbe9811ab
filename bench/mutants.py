"""What tests notice: random changes of one token, each against the tests that stand nearest to its module.

A change is noticed where a test fails that passes on the unchanged tree. The tests run as `make test` runs
them, with a sample of the long sets. Takes half an hour of processor time; `--every 3` tries a third.
"""

import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from bench.figures import Figure, thinned
from bench.parts.mutations import Mutation, mutations

TITLE = "What tests notice"
ROOT = Path(__file__).resolve().parent.parent
SEED = 20261127
TRIED = {
    **dict.fromkeys(("nl2sql", "evaluation", "answering", "databases", "authoring", "biotools"), 6),
    **dict.fromkeys(("retrieval", "knowledge", "llm"), 4),
    "offline": 12,
}
"""How many changes are tried in each package."""
NEAREST, FURTHER = 4, 12
"""Files of tests: those tried first, and those tried where the first notice nothing."""
SECONDS = 600
ENDLESS = "a test that doesn't end"


def drawn(tried: Mapping[str, int] = TRIED) -> Iterator[tuple[str, Path, Mutation]]:
    """Draw packages, modules and changes, the same for a tree each time."""
    for package, number in tried.items():
        chance = random.Random(f"{SEED} {package}")
        modules = sorted((ROOT / "src" / "fathom" / package).rglob("*.py"))
        made = [(m, change) for m in modules for change in mutations(m.read_text(encoding="utf-8"))]
        yield from ((package, module, change) for module, change in chance.sample(made, number))


def near_tests(package: str, module: Path) -> list[Path]:
    """Files of tests, the nearest first: of the module's own name, that import it, of its package."""
    dotted = ".".join(module.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__")
    found = sorted((ROOT / "tests").rglob("test_*.py"))

    def distance(file: Path) -> tuple[bool, bool, bool, str]:
        text = file.read_text(encoding="utf-8")
        return (
            file.stem != f"test_{module.stem}",
            re.search(rf"\b{re.escape(dotted)}\b", text) is None,
            f"fathom.{package}" not in text,
            str(file),
        )

    near = sorted(
        (f for f in found if package in f.parts or f"fathom.{package}" in f.read_text()), key=distance
    )
    return near[: NEAREST + FURTHER]


def measure() -> Iterable[Figure]:
    """The share that is noticed, and each change that isn't."""
    noticed, missed = 0, []
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "tree"
        ignored = shutil.ignore_patterns(".venv*", ".git", ".*_cache", "__pycache__")
        shutil.copytree(ROOT, copy, ignore=ignored)
        (Path(folder) / "shared").symlink_to(ROOT.parent / "shared")
        for package, module, change in thinned(list(drawn())):
            place = module.relative_to(ROOT)
            told = f"{place}:{change.line} {change.before!r} -> {change.after!r}"
            files = [str(f.relative_to(ROOT)) for f in near_tests(package, module)]
            by = _noticed(copy, place, change, files[:NEAREST]) or _noticed(
                copy, place, change, files[NEAREST:]
            )
            print(f"  {told}: {by or 'not noticed'}", flush=True)
            noticed += bool(by)
            missed += [] if by else [told]
    tried = noticed + len(missed)
    yield Figure("changes of one token that a test notices", f"{noticed} of {tried}", note="; ".join(missed))


def _noticed(tree: Path, module: Path, change: Mutation, files: list[str]) -> str:
    """The first test that fails by the change; empty where none does."""
    kept = (tree / module).read_text(encoding="utf-8")
    (tree / module).write_text(change.text, encoding="utf-8")
    try:
        failed = _failing(tree, files)
    finally:
        (tree / module).write_text(kept, encoding="utf-8")
    return failed if failed == ENDLESS or (failed and not _failing(tree, [failed])) else ""


def _failing(tree: Path, files: list[str]) -> str:
    """The first test that fails, or a file that can't be collected or doesn't end; empty where all pass."""
    if not files:
        return ""
    paths = {"PYTHONPATH": str(tree / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    words = (
        "-m",
        "pytest",
        "-x",
        "-q",
        "-p",
        "no:cacheprovider",
        "--sample=bench",
        "-m",
        "not spark",
        *files,
    )
    try:
        done = subprocess.run(
            [sys.executable, *words], cwd=tree, env={**os.environ, **paths},
            capture_output=True, text=True, check=False, timeout=SECONDS,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return ENDLESS
    found = re.search(r"^(?:FAILED|ERROR) (\S+?\.py(?:::[^\n]*?)?)(?: - |$)", done.stdout, re.MULTILINE)
    return found[1] if found else "" if done.returncode in (0, 5) else "no test could begin"
