"""Every grammar up to a size, over two letters and two rules, in a fixed order.

Size counts the nodes of rule bodies. Left, right and hidden recursion, nullable rules, cycles,
ambiguity, counted repetitions and rules that derive nothing all occur among the smallest few
thousand, which is the point.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

LEAVES = ('"a"', '"b"', '""', "[ab]", "root", "x")
QUANTIFIERS = ("*", "+", "?", "{2}", "{1,2}", "{2,}", "{0,3}")


@functools.cache
def expressions(size: int) -> tuple[str, ...]:
    """Expression texts with exactly `size` nodes."""
    if size == 1:
        return LEAVES
    found = [
        f"({inner}){quantifier}" for inner in expressions(size - 1) for quantifier in QUANTIFIERS
    ]
    for left_size in range(1, size - 1):
        for left in expressions(left_size):
            for right in expressions(size - 1 - left_size):
                found += [f"({left} {right})", f"({left} | {right})"]
    return tuple(found)


def grammars(root_size: int, other_size: int) -> Iterator[str]:
    """`root` with a body of exactly `root_size` nodes, with every body of `other_size` for `x`
    where it is used.
    """
    for root in expressions(root_size):
        if "x" not in root:
            yield f"root ::= {root}\n"
            continue
        for other in expressions(other_size):
            yield f"root ::= {root}\nx ::= {other}\n"


# Shapes that are known to break parsers, beyond the sizes that can be enumerated.
PICKED = (
    'root ::= root root | "a"\n',
    'root ::= root root | root root root | "a" | ""\n',
    'root ::= x root "b" | "a"\nx ::= "" | x\n',
    'root ::= x "a" | "b"\nx ::= root "b" | "" | x x\n',
    'root ::= (("a"* "b"*)* "a"?){2,4} "b"\n',
    'root ::= (("a"? "b"?){0,3} "a"){1,3}\n',
    'root ::= "a" root "b" | "a" root "a" | ""\n',
    'root ::= "a" root | x\nx ::= "b" x "b" | "b"\n',
    'root ::= x{3} | x{2} "a"\nx ::= "a" | "ab" | ""\n',
    'root ::= ("ab" | "a") ("b" | "ba") x\nx ::= "a" x | x "b" | ""\n',
    'root ::= x x x x\nx ::= y y | "a"\ny ::= "" | "b" | x\n',
    'root ::= y "a"\ny ::= x | root | "b"\nx ::= y\n',
    'root ::= ("a" | "b"){5,9} "a"\n',
    'root ::= (x | "b"){2,3}\nx ::= "a" root? "a"\n',
)
