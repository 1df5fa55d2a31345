"""Model families as data, and what turns them into structural tags.

`format` holds the classes that describe how a family writes reasoning, text and tool calls;
`families` one such description per family; `tool_choice` reads tools and tool choices; `build`
turns a description and a choice into a structural tag; `registry` finds a family by its key.
`xgrammar.builtin_structural_tag` is the public face of this package.
"""
