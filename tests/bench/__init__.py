"""Benchmark: time to first mask, time between masks and verdicts, side by side with the peers.

`python -m tests.bench.setup_peers` makes the peers' environment once; `python -m tests.bench
--help` runs.
"""
