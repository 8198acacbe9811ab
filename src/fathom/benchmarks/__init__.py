"""Published and own datasets as streams of questions with gold."""

from fathom.benchmarks.by_name import Published, data_folder, load_benchmark
from fathom.benchmarks.choice import QuestionSelection
from fathom.benchmarks.records import Benchmark, BenchmarkQuestion

__all__ = [
    "Benchmark",
    "BenchmarkQuestion",
    "Published",
    "QuestionSelection",
    "data_folder",
    "load_benchmark",
]
