"""Which marked features of the cases the library does not have yet, each with what it waits for.

A case needs a feature if its `features` list names it. Taking a line out of this table makes its
cases run.
"""

from __future__ import annotations

NOT_YET: dict[str, str] = {}
