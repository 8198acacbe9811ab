"""The sample knowledge base: a made biomedical database of the shape of BiomedSQL's (specs: ten tables).

Genes, loci, drugs, diseases and assays are public facts, roughly placed; rows, statistics and identifiers
are made from a seed. `fathom.connect("demo:biomed")` reaches it.
"""

from fathom.benchmarks.biomed.demo import biomed, biomed20
from fathom.benchmarks.biomed.knowledge_base import DEMO_ROWS, Progress, build
from fathom.benchmarks.biomed.published import build_published

__all__ = ["DEMO_ROWS", "Progress", "biomed", "biomed20", "build", "build_published"]
