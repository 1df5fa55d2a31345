"""Recognises structural tags by their definition: sets of end positions, no automata.

An oracle for the tests of model families: `accepts(tag, text)` for a tag in dumped form. It covers
the formats that families use. Token formats never match text.
"""

from __future__ import annotations

import re
from functools import partial

from tests.python.models.values import ends as value_ends


def accepts(tag, text):
    """Whether the whole text is in the language of a dumped structural tag."""
    return len(text) in Recogniser(text).ends(tag["format"], 0, ())


class Recogniser:
    """The text, and what was found so far."""

    def __init__(self, text):
        self.text = text
        self.known = {}

    def ends(self, node, start, tag_ends):
        """End positions of a format; `tag_ends` are the end strings of the nearest tag."""
        key = (id(node), start)
        if key not in self.known:
            read = getattr(self, "read_" + node["type"])
            self.known[key] = frozenset(read(node, start, tag_ends))
        return self.known[key]

    def after(self, node, starts, tag_ends):
        return {end for start in starts for end in self.ends(node, start, tag_ends)}

    def literals(self, literals, starts):
        return {
            start + len(text)
            for start in starts
            for text in ([literals] if isinstance(literals, str) else literals)
            if self.text.startswith(text, start)
        }

    def read_const_string(self, node, start, _):
        return self.literals(node["value"], {start})

    def read_regex(self, node, start, _):
        pattern = re.compile(node["pattern"])
        return {
            end
            for end in range(start, len(self.text) + 1)
            if pattern.fullmatch(self.text, start, end)
        }

    def read_json_schema(self, node, start, _):
        return value_ends(
            node["json_schema"],
            node["style"],
            self.text,
            start,
            any_order=node["any_order"],
            max_whitespace=node["max_whitespace_cnt"],
            excludes=node["excludes"],
        )

    def read_any_text(self, node, start, tag_ends):
        excludes = [*node["excludes"], *tag_ends]
        for end in range(start, len(self.text) + 1):
            if any(self.text.endswith(text, start, end) for text in excludes):
                return
            yield end

    def read_sequence(self, node, start, tag_ends):
        ends = {start}
        for element in node["elements"]:
            ends = self.after(element, ends, tag_ends)
        return ends

    def read_or(self, node, start, tag_ends):
        return {end for e in node["elements"] for end in self.ends(e, start, tag_ends)}

    def read_optional(self, node, start, tag_ends):
        return {start} | self.ends(node["content"], start, tag_ends)

    def read_star(self, node, start, tag_ends):
        return self.closure({start}, lambda ends: self.after(node["content"], ends, tag_ends))

    @staticmethod
    def closure(found, step):
        new = set(found)
        while new:
            new = step(new) - found
            found |= new
        return found

    def read_tag(self, node, start, _):
        tag_ends = [node["end"]] if isinstance(node["end"], str) else node["end"]
        inner = self.after(
            node["content"],
            self.literals(node["begin"], {start}),
            tuple(text for text in tag_ends if text),
        )
        return self.literals(tag_ends, inner)

    def read_tags_with_separator(self, node, start, _):
        found = set() if node["at_least_one"] else {start}
        tags = self.any_tag(node, {start})
        if node["stop_after_first"]:
            return found | tags
        more = partial(self.literals, node["separator"])
        return found | self.closure(tags, lambda ends: self.any_tag(node, more(ends)))

    def any_tag(self, node, starts):
        return {end for tag in node["tags"] for end in self.after(tag, starts, ())}

    def read_triggered_tags(self, node, start, tag_ends):
        excludes = (*node["excludes"], *tag_ends)
        if node["at_least_one"]:
            after_tags = self.any_tag(node, {start})
            if node["stop_after_first"]:
                return after_tags
        else:
            after_tags = {start}
        runs = set(after_tags)
        found, seen = set(), set()
        while runs:
            begin = runs.pop()
            seen.add(begin)
            free, triggered = self.free_run(node["triggers"], excludes, begin)
            found |= free
            tags = self.any_tag(node, triggered)
            if node["stop_after_first"]:
                found |= tags
            else:
                runs |= tags - seen
        return found

    def free_run(self, triggers, excludes, start):
        """Where free text may end, and where it meets a trigger."""
        free, triggered = set(), set()
        for end in range(start, len(self.text) + 1):
            if any(self.text.endswith(text, start, end) for text in excludes):
                break
            met = {end - len(t) for t in triggers if self.text.endswith(t, start, end)}
            if met:
                triggered |= met
                break
            free.add(end)
        return free, triggered
