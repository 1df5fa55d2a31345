"""Reference recogniser, exhaustive comparison over small grammars, and laws that hold for random
input.
"""
