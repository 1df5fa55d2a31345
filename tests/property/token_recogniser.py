"""Recognises structural tags over tokens by their definition: sets of positions, no automata.

The oracle of test_structural_tag_tokens.py. Positions are bytes of the text of all tokens; token
formats go from the start of a token to its end. Every format is covered but schemas and grammars.
It knows nothing of stop tokens.
"""

from __future__ import annotations

import re


class TokenRecogniser:
    """The tokens, and what was found so far."""

    def __init__(self, vocabulary, tokens):
        self.vocabulary = vocabulary
        self.text = "".join(vocabulary[token] for token in tokens)
        self.tokens = {}  # Where a token starts: its id and where it ends.
        start = 0
        for token in tokens:
            end = start + len(vocabulary[token])
            self.tokens[start] = (token, end)
            start = end
        self.known = {}

    def accepts(self, node):
        return len(self.text) in self.ends(node, 0, ())

    def ends(self, node, start, end):
        """End positions of a format; `end` is that of the nearest tag."""
        key = (id(node), start, str(end))
        if key not in self.known:
            read = getattr(self, "read_" + node["type"])
            self.known[key] = frozenset(read(node, start, end))
        return self.known[key]

    def after(self, nodes, starts, end):
        return {e for start in starts for node in nodes for e in self.ends(node, start, end)}

    @staticmethod
    def closure(starts, step):
        found, todo = set(starts), list(starts)
        while todo:
            for end in step(todo.pop()):
                if end not in found:
                    found.add(end)
                    todo.append(end)
        return found

    def ids(self, tokens):
        return [t if isinstance(t, int) else self.vocabulary.index(t) for t in tokens]

    def marker(self, marker, start):
        if isinstance(marker, dict):
            return self.read_token(marker, start, ())
        texts = [marker] if isinstance(marker, str) else marker
        return {start + len(text) for text in texts if self.text.startswith(text, start)}

    @staticmethod
    def excluded(node, end):
        texts = [end] if isinstance(end, str) else [] if isinstance(end, dict) else list(end)
        return [text for text in [*node.get("excludes", []), *texts] if text]

    def excluded_ids(self, node, end):
        last = [end["token"]] if isinstance(end, dict) else []
        return self.ids([*node.get("exclude_tokens", []), *last])

    def fits(self, node, start, end):
        """Whether few enough tokens begin inside; a budget of none takes no text at all."""
        budget = node.get("max_tokens")
        if budget == 0:
            return start == end
        return budget is None or sum(start <= token < end for token in self.tokens) <= budget

    def read_const_string(self, node, start, _):
        return self.marker(node["value"], start)

    def read_regex(self, node, start, _):
        pattern = re.compile(node["pattern"], re.DOTALL)
        ends = range(start, len(self.text) + 1)
        return {end for end in ends if pattern.fullmatch(self.text, start, end)}

    def read_any_text(self, node, start, tag_end):
        excluded = self.excluded(node, tag_end)
        most = node.get("max_chars", len(self.text))
        found = set()
        for end in range(start, min(start + most, len(self.text)) + 1):
            if any(text in self.text[start:end] for text in excluded):
                break
            if self.fits(node, start, end):
                found.add(end)
        return found

    def read_sequence(self, node, start, end):
        found = {start}
        for element in node["elements"]:
            found = self.after([element], found, end)
        return found

    def read_or(self, node, start, end):
        return self.after(node["elements"], [start], end)

    def read_optional(self, node, start, end):
        return {start} | self.ends(node["content"], start, end)

    def read_star(self, node, start, end):
        return self.closure({start}, lambda at: self.ends(node["content"], at, end))

    def read_plus(self, node, start, end):
        first = self.ends(node["content"], start, end)
        return self.closure(first, lambda at: self.ends(node["content"], at, end))

    def read_repeat(self, node, start, end):
        found, content = {start}, [node["content"]]
        for _ in range(node["min"]):
            found = self.after(content, found, end)
        if node["max"] < 0:
            return self.closure(found, lambda at: self.ends(node["content"], at, end))
        all_found = set(found)
        for _ in range(node["max"] - node["min"]):
            found = self.after(content, found, end)
            all_found |= found
        return all_found

    def read_tag(self, node, start, _):
        inside = self.after([node["content"]], self.marker(node["begin"], start), node["end"])
        return {e for at in inside for e in self.marker(node["end"], at)}

    def read_token(self, node, start, _):
        token, end = self.tokens.get(start, (None, None))
        return {end} if token in self.ids([node["token"]]) else set()

    def read_exclude_token(self, node, start, tag_end):
        token, end = self.tokens.get(start, (None, None))
        return set() if token is None or token in self.excluded_ids(node, tag_end) else {end}

    def read_any_tokens(self, node, start, tag_end):
        found = self.closure({start}, lambda at: self.read_exclude_token(node, at, tag_end))
        return {end for end in found if self.fits(node, start, end)}

    def read_tags_with_separator(self, node, start, _):
        found = self.after(node["tags"], [start], ())
        if not node.get("stop_after_first"):
            found = self.closure(
                found, lambda at: self.after(node["tags"], self.marker(node["separator"], at), ())
            )
        return found if node.get("at_least_one") else found | {start}

    def free_run(self, patterns, excluded, start):
        """Where a run without a pattern may end, and where which pattern ends one."""
        ends, hits, longer = [], [], None
        for end in range(start, len(self.text) + 1):
            run = self.text[start:end]
            if run.endswith(tuple(excluded)):
                break
            if longer is None:
                hit = max((p for p in patterns if run.endswith(p)), key=len, default="")
                if not hit:
                    ends.append(end)
                    continue
                longer = [
                    (p, k) for p in patterns for k in range(len(hit), len(p)) if run.endswith(p[:k])
                ]
            else:  # Only a longer pattern around the one that was found may still come.
                longer = [(p, k + 1) for p, k in longer if p[k] == run[-1]]
                hit = max((p for p, k in longer if k == len(p)), key=len, default="")
                longer = [(p, k) for p, k in longer if len(hit) <= k < len(p)]
            if hit:
                hits.append((hit, end))
            if not longer:
                break
        return ends, hits

    def free_tokens(self, triggers, excluded, start):
        """The same over tokens: all places, and where which trigger starts."""
        ends, hits = [start], []
        while start in self.tokens:
            token, start = self.tokens[start][0], self.tokens[start][1]
            if token in triggers:
                hits.append((token, start))
                break
            if token in excluded:
                break
            ends.append(start)
        return ends, hits

    @staticmethod
    def runs(start, run, content, loop):
        """Free runs with what their patterns or triggers ask for in between."""
        found, todo, seen = set(), [start], set()
        while todo:
            at = todo.pop()
            if at in seen:
                continue
            seen.add(at)
            ends, hits = run(at)
            found.update(ends)
            for hit, end in hits:
                after = content(hit, end)
                found.update(after)
                todo.extend(after if loop else ())
        return found

    def read_dispatch(self, node, start, end):
        patterns = [pattern for pattern, _ in node["rules"]]
        excluded = node.get("excludes", [])
        return self.runs(
            start,
            lambda at: self.free_run(patterns, excluded, at),
            lambda hit, at: self.after([c for p, c in node["rules"] if p == hit], [at], end),
            node.get("loop", True),
        )

    def read_token_dispatch(self, node, start, end):
        triggers = self.ids([token for token, _ in node["rules"]])
        contents = [content for _, content in node["rules"]]
        excluded = self.excluded_ids(node, ())
        return self.runs(
            start,
            lambda at: self.free_tokens(triggers, excluded, at),
            lambda hit, at: self.after(
                [c for t, c in zip(triggers, contents, strict=True) if t == hit], [at], end
            ),
            node.get("loop", True),
        )

    def tagged(self, node, start, run, tag_start):
        """What the two flags make of free runs and tags."""
        at_least_one, only_one = node.get("at_least_one"), node.get("stop_after_first")
        first = self.after(node["tags"], [start], ()) if at_least_one else {start}
        if at_least_one and only_one:
            return first

        def content(hit, at):
            tags = [tag for tag in node["tags"] if self.begins_with(tag, hit)]
            return self.after(tags, [tag_start(hit, at)], ())

        return {e for at in first for e in self.runs(at, run, content, not only_one)}

    def begins_with(self, tag, hit):
        if isinstance(tag["begin"], str):
            return tag["begin"].startswith(hit)
        return hit in self.ids([tag["begin"]["token"]])

    def read_triggered_tags(self, node, start, end):
        excluded = self.excluded(node, end)
        return self.tagged(
            node,
            start,
            lambda at: self.free_run(node["triggers"], excluded, at),
            lambda hit, at: at - len(hit),
        )

    def read_token_triggered_tags(self, node, start, end):
        triggers, excluded = self.ids(node["trigger_tokens"]), self.excluded_ids(node, end)
        return self.tagged(
            node,
            start,
            lambda at: self.free_tokens(triggers, excluded, at),
            lambda hit, at: at - len(self.vocabulary[hit]),
        )
