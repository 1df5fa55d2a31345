"""`python -m xgrammar` and the script `xgrammar` are one function.

What the commands do is test_cli.py; that the module runs as a process is there, too.
"""

from importlib.metadata import entry_points

import xgrammar.__main__
import xgrammar.cli


def test_script_and_module_share_one_function():
    assert xgrammar.__main__.main is xgrammar.cli.main
    scripts = [e for e in entry_points(group="console_scripts") if e.name == "xgrammar"]
    assert scripts
    assert scripts[0].load() is xgrammar.cli.main
