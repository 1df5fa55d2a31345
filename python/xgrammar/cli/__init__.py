"""The command line: `demo`, `check` and `compile`, one module each."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from xgrammar._version import __version__
from xgrammar.exception import XGrammarError

from . import check, demo
from . import compile as compile_command
from .source import CommandError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]

# What a shell and its scripts can tell apart: a "no" as the answer, and a request that was wrong.
EXIT_PROBLEM = 2
_EXIT_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status.

    Parameters
    ----------
    arguments : sequence of str or None
        The words behind the name of the program; None takes them from the process.

    Returns
    -------
    int
        0 for success, 1 for a text that is not accepted, 2 for an error.
    """
    parser = argparse.ArgumentParser(
        prog="xgrammar", description="Structured generation: grammars to exact token masks."
    )
    parser.add_argument("--version", action="version", version=f"xgrammar {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for module in (demo, check, compile_command):
        module.add_command(commands)
    options = parser.parse_args(arguments)
    try:
        status: int = options.run(options)
    except (XGrammarError, CommandError, ValueError) as error:
        print(f"xgrammar {options.command}: error: {error}", file=sys.stderr)
        return EXIT_PROBLEM
    except KeyboardInterrupt:
        return _EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader of a pipe went away; what it wanted to see it has seen.
        sys.stderr.close()
        return EXIT_PROBLEM
    return status
