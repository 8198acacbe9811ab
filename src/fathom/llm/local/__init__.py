"""Models that run on this machine, in a process of their own, without a network.

`catalogue` says which there are, `fetching` and `removing` bring and delete their files, `running` finds or
starts the process, `server` is what runs in it, `connection` asks it, `speed` measures it.
"""

from fathom.llm.local.catalogue import LocalModel, catalogue, find_local, preferred

NAME = "local"
"""The provider's name; alone it names the preferred one of the fetched models."""

__all__ = ["NAME", "LocalModel", "catalogue", "find_local", "preferred"]
