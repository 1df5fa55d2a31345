"""Instruction counts of fixed workloads, tracked in counts.json: `python -m
tests.bench.instructions`.
"""
