"""What the wheel may hold, and why: no training, no tests, no measurements.

Servers and builders of samples travel only as far as the demo needs them, or a command that the docs name.
"""

import re

PARTS = (
    *(
        "__init__.py",
        "__main__.py",
        "py.typed",
        "analysis",
        "answering",
        "authoring",
        "benchmarks",
        "biotools",
    ),
    *("cancellation.py", "config.py", "context_values.py", "databases"),
    *("efficiency", "errors.py", "evaluation", "files.py", "forms"),
    *(
        "interfaces",
        "knowledge",
        "llm",
        "methods",
        "nl2sql",
        "offline",
        "processes",
        "records",
        "registry.py",
    ),
    *("reports", "retrieval", "rights", "text", "watch.py"),
)
"""All that may travel, by its place in the package."""
FOLDERS = {
    "benchmarks": {"biomed", "layouts", "shop"},
    "biotools": {"callers", "catalogue", "client", "loopback", "observations"},
}
"""The folders of these two, where builders of samples and servers could be."""
KINDS = (
    "csv",
    "css",
    "gz",
    "html",
    "js",
    "json",
    "md",
    "npz",
    "py",
    "sql",
    "svg",
    "toml",
    "tsv",
    "typed",
    "yaml",
)
"""The endings of all that may travel."""
MADE_FOR_THE_DEMO = {
    "benchmarks.shop": "the sample shop, `demo:shop`, with which `fathom demo` begins",
    "biotools.loopback": "made records of NCBI, UniProt and Ensembl, which `fathom demo`, `serve --demo` and "
    "`tools serve` ask instead of the services; how it can be made to fail is part of the server",
    "benchmarks.biomed": "makes demo:biomed when it is first asked; the same tables make demo:biomed20, "
    "and hold BiomedSQL's published files (docs/sample-database.md)",
}
"""The servers and the builders of samples that travel, and why; the demo loads each of their modules."""
NAMED_ALIKE = {
    "authoring/training_files": "writes files from which people train models: `fathom author`",
    "biotools/callers/training_files": "likewise, of calls",
    "interfaces/cli/training_export": "the command that does it: `fathom tools export-training`",
    "offline/examples/self_training": "learns from a database's solved examples when they are given",
    "nl2sql/samples": "rows that a model is shown",
    "nl2sql/unit_tests": "a step of CHESS: a model writes tests for queries",
    "nl2sql/prompts/unit_tests": "its prompts",
    "llm/scripted": "a model that says what a script tells it: methods are tried out without a provider",
    "interfaces/cli/demo": "the command `fathom demo`",
    "benchmarks/biomed/demo": "where the demo's databases are kept",
    "benchmarks/shop/demo": "likewise, the sample shop",
    "biotools/loopback": "the demo's server",
}
"""All whose name sounds like what stays at home, and why it travels."""
STAYS = re.compile(
    r"(^|[/_.])(tests?|testing|conftest|train(ing|er)?|loopback|stubs?|fakes?|mocks?|emulators?|"
    r"simulat\w+|samples?|demo|fixtures?|scripted)([/_.]|$)"
    r"|(^|/)bench([/.]|$)"
)
