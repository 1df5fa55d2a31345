"""Entry point of `python -m xgrammar` and of the script `xgrammar`."""

from __future__ import annotations

import sys

from .cli import main

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
