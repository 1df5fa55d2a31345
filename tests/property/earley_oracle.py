"""The slow oracle: a textbook Earley recogniser on bytes (Earley 1970; nullable rules as in Aycock
and Horspool 2002).

It answers one question, "can these bytes be consumed, and can the rest still be completed", with
nothing cached that could be wrong across grammars. Unproductive productions are dropped first, so a
non-empty item set is exactly a prefix of some sentence. Repetition bounds are unrolled: for small
grammars only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from functools import lru_cache

from tests.property.ebnf_reader import Node, read_ebnf

Terminal = tuple[int, int]  # an inclusive range of bytes
Symbol = int | Terminal  # a nonterminal, or a terminal
Item = tuple[int, int, int]  # production, dot, origin

MAX_UNROLL = 300
UTF8_LENGTH_ENDS = (0x7F, 0x7FF, 0xFFFF, 0x10FFFF)


def utf8_sequences(low: int, high: int) -> Iterator[list[Terminal]]:
    """Byte range sequences that spell exactly the code points low..high (no surrogates inside)."""
    for end in UTF8_LENGTH_ENDS:
        if low <= end < high:
            yield from utf8_sequences(low, end)
            yield from utf8_sequences(end + 1, high)
            return
    first, last = chr(low).encode(), chr(high).encode()
    # Split until all but a common prefix is free: every trailing byte from 80 to BF.
    for trailing in range(1, len(first)):
        span = 1 << (6 * trailing)
        if low // span != high // span:
            if low % span:
                middle = (low // span + 1) * span - 1
                yield from utf8_sequences(low, middle)
                yield from utf8_sequences(middle + 1, high)
                return
            if high % span != span - 1:
                middle = high // span * span - 1
                yield from utf8_sequences(low, middle)
                yield from utf8_sequences(middle + 1, high)
                return
    yield list(zip(first, last, strict=True))


class Productions:
    """A grammar as plain productions over nonterminals and byte ranges."""

    def __init__(self, rules: dict[str, Node], root: str = "root") -> None:
        self.heads: list[int] = []
        self.bodies: list[tuple[Symbol, ...]] = []
        self.names = {name: index for index, name in enumerate(rules)}
        self.count = len(rules)
        self.root = self.names[root]
        self._seen: dict[Node, int] = {}
        for name, body in rules.items():
            self.add(self.names[name], (self.symbol(body),))
        self.drop_unproductive()
        self.nullable = self.closure(
            lambda symbol, known: isinstance(symbol, int) and symbol in known
        )

    def add(self, head: int, body: tuple[Symbol, ...]) -> None:
        self.heads.append(head)
        self.bodies.append(body)

    def symbol(self, node: Node) -> int:
        """The nonterminal of a node."""
        if node[0] == "ref":
            return self.names[node[1]]
        if node in self._seen:
            return self._seen[node]
        head = self._seen[node] = self.count
        self.count += 1
        for body in self.alternatives(node, head):
            self.add(head, body)
        return head

    def alternatives(self, node: Node, head: int) -> list[tuple[Symbol, ...]]:
        """The productions of a node that is not a reference."""
        kind = node[0]
        if kind == "bytes":
            return [tuple((byte, byte) for byte in node[1])]
        if kind == "class":
            return [
                tuple(sequence) for low, high in node[1] for sequence in utf8_sequences(low, high)
            ]
        if kind == "seq":
            return [tuple(self.symbol(part) for part in node[1])]
        if kind in ("alt", "any"):
            parts = [self.any_order(node)] if kind == "any" else map(self.symbol, node[1])
            return [(part,) for part in parts]
        _, child, low, high = node
        if low > MAX_UNROLL or (high or 0) > MAX_UNROLL:
            raise ValueError("repetition too large for the oracle")
        one = self.symbol(child)
        if high is None:
            return [(one,) * low, (head, one)]
        return [(one,) * count for count in range(low, high + 1)]

    def any_order(self, node: Node) -> int:
        """Parts in any order, by the meaning: a nonterminal for each number of members so far and
        each set of parts seen, which matches what may still follow.
        """
        _, separator, parts, low, high = node
        quantified = [
            part[0] == "rep" and part[2:] in ((0, 1), (0, None), (1, None)) for part in parts
        ]
        members = [self.symbol(p[1] if q else p) for p, q in zip(parts, quantified, strict=True)]
        required = {i for i, p in enumerate(parts) if not quantified[i] or p[2] == 1}
        once = {i for i, p in enumerate(parts) if not quantified[i] or p[3] == 1}
        largest = high if high is not None else low + 1
        between = self.symbol(separator)
        states: dict[tuple[int, frozenset[int]], int] = {}

        def rest(count: int, seen: frozenset[int]) -> int:
            state = (count, seen)
            if state in states:
                return states[state]
            head = states[state] = self.count
            self.count += 1
            if count >= low and required <= seen:
                self.add(head, ())
            for part, member in enumerate(members):
                if (part in once and part in seen) or count == high:
                    continue
                after = rest(min(count + 1, largest), seen | {part})
                self.add(head, (member, after) if count == 0 else (between, member, after))
            return head

        return rest(0, frozenset())

    def closure(self, counts: Callable[[Symbol, set[int]], bool]) -> set[int]:
        """Nonterminals with a production whose symbols all count, to the fixed point."""
        known: set[int] = set()
        while True:
            more = {
                h
                for h, body in zip(self.heads, self.bodies, strict=True)
                if all(counts(s, known) for s in body)
            }
            if more <= known:
                return known
            known |= more

    def drop_unproductive(self) -> None:
        productive = self.closure(
            lambda symbol, known: isinstance(symbol, tuple) or symbol in known
        )
        kept = [
            i
            for i, body in enumerate(self.bodies)
            if all(isinstance(s, tuple) or s in productive for s in body)
        ]
        self.heads, self.bodies = [self.heads[i] for i in kept], [self.bodies[i] for i in kept]
        self.by_head: dict[int, list[int]] = {}
        for index, head in enumerate(self.heads):
            self.by_head.setdefault(head, []).append(index)


class Chart:
    """The Earley sets after some bytes: an immutable value that forks for free."""

    def __init__(
        self, grammar: Productions, earlier: tuple[frozenset[Item], ...], kernel: set[Item]
    ) -> None:
        self.grammar = grammar
        self.sets = (*earlier, self.close(earlier, kernel))
        self._next: dict[int, Chart | None] = {}

    def close(self, earlier: tuple[frozenset[Item], ...], kernel: set[Item]) -> frozenset[Item]:
        """Predict and complete until nothing is added."""
        grammar, here = self.grammar, len(earlier)
        items, work = set(kernel), list(kernel)

        def add(item: Item) -> None:
            if item not in items:
                items.add(item)
                work.append(item)

        while work:
            production, dot, origin = work.pop()
            body = grammar.bodies[production]
            if dot == len(body):
                head = grammar.heads[production]
                for other, other_dot, other_origin in list(
                    items if origin == here else earlier[origin]
                ):
                    other_body = grammar.bodies[other]
                    if other_dot < len(other_body) and other_body[other_dot] == head:
                        add((other, other_dot + 1, other_origin))
            elif isinstance(symbol := body[dot], int):
                for index in grammar.by_head.get(symbol, ()):
                    add((index, 0, here))
                if symbol in grammar.nullable:
                    add((production, dot + 1, origin))
        return frozenset(items)

    def step(self, byte: int) -> Chart | None:
        """After one more byte, or None."""
        if byte not in self._next:
            kernel: set[Item] = set()
            for production, dot, origin in self.sets[-1]:
                body = self.grammar.bodies[production]
                if (
                    dot < len(body)
                    and isinstance(terminal := body[dot], tuple)
                    and terminal[0] <= byte <= terminal[1]
                ):
                    kernel.add((production, dot + 1, origin))
            self._next[byte] = Chart(self.grammar, self.sets, kernel) if kernel else None
        return self._next[byte]

    def advance(self, data: bytes) -> Chart | None:
        """After more bytes, or None if they cannot be consumed on the way to a sentence."""
        chart: Chart | None = self
        for byte in data:
            chart = chart.step(byte) if chart is not None else None
        return chart

    @property
    def completed(self) -> bool:
        """Whether the bytes so far are a sentence."""
        grammar = self.grammar
        return any(
            grammar.heads[p] == grammar.root and dot == len(grammar.bodies[p]) and origin == 0
            for p, dot, origin in self.sets[-1]
        )

    def next_bytes(self) -> set[int]:
        """The bytes that may follow."""
        found: set[int] = set()
        for production, dot, _ in self.sets[-1]:
            body = self.grammar.bodies[production]
            if dot < len(body) and isinstance(terminal := body[dot], tuple):
                found.update(range(terminal[0], terminal[1] + 1))
        return found

    def forced(self, limit: int = 1000) -> bytes:
        """What every continuation begins with, whole characters only."""
        chart, data = self, b""
        while (
            len(data) < limit and not chart.completed and len(following := chart.next_bytes()) == 1
        ):
            byte = following.pop()
            after = chart.step(byte)
            assert after is not None
            data, chart = data + bytes([byte]), after
        return data.decode("utf-8", "ignore").encode() if is_boundary(self) else b""


def is_boundary(chart: Chart) -> bool:
    """Whether no character is half read: no continuation byte can follow."""
    return not any(0x80 <= byte < 0xC0 for byte in chart.next_bytes())


@lru_cache(maxsize=4096)
def start(text: str, root: str = "root") -> Chart | None:
    """The chart before the first byte, or None for a grammar whose language is empty."""
    grammar = Productions(read_ebnf(text), root)
    kernel = {(index, 0, 0) for index in grammar.by_head.get(grammar.root, ())}
    return Chart(grammar, (), kernel) if kernel else None


def mask(
    chart: Chart,
    vocabulary: list[bytes],
    stop_ids: AbstractSet[int],
    special_ids: AbstractSet[int] = frozenset(),
) -> list[bool]:
    """Brute force: each token by itself."""
    return [
        chart.completed
        if index in stop_ids
        else bool(token) and index not in special_ids and chart.advance(token) is not None
        for index, token in enumerate(vocabulary)
    ]
