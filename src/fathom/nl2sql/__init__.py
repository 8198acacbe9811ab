"""Methods that ask a language model: steps of the three modules, and the published methods made of them.

Steps are registered by entry point in the group `fathom.steps`, methods in `fathom.methods`; what each
published method does is specified in `docs/methods.md`.
"""
