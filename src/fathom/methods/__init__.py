"""Methods: named sequences of steps, each of which turns a draft into a better one.

A method is registered by entry point in the group `fathom.methods`, or composed of registered steps in a TOML
file; `find_method` looks one up.
"""

from fathom.methods.context import Context, Meter
from fathom.methods.method import Method, MethodStep, find_method, run_method, step

__all__ = ["Context", "Meter", "Method", "MethodStep", "find_method", "run_method", "step"]
