"""What holds for every test: no model outside this machine can be reached, whatever the environment holds."""

import os

from fathom.llm.keys import is_key_variable
from fathom.llm.providers import LOCAL_ONLY

for name in [n for n in os.environ if is_key_variable(n)]:
    del os.environ[name]
os.environ[LOCAL_ONLY] = "1"
