"""Which marked features of the cases the library does not have yet, each with what it waits for.

A case needs a feature if its `features` list names it. Taking a line out of this table makes its
cases run.
"""

from __future__ import annotations

NOT_YET = {
    "lark": "the Lark front end",
    "macro": "EBNF macros",
    "rule_options": "EBNF rule options",
    "token_terms": "token-level terms",
    "any_order": "any_order objects",
    "keyword:format": "the format keyword",
    "keyword:multipleOf": "the multipleOf keyword",
    "keyword:contains": "the contains keyword",
    "keyword:minContains": "the contains keyword",
    "keyword:maxContains": "the contains keyword",
    "keyword:uniqueItems": "the uniqueItems keyword",
    "keyword:not": "the not keyword",
    "keyword:if": "conditional keywords",
    "keyword:then": "conditional keywords",
    "keyword:dependentRequired": "conditional keywords",
    "keyword:dependentSchemas": "conditional keywords",
    "keyword:$anchor": "anchors and ids",
    "keyword:nullable": "the nullable keyword",
}
