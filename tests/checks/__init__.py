"""Checks of the sources themselves: dependency direction, mirror of tests, sizes, stub, import
weight.
"""
