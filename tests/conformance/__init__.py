"""Data-driven conformance: every case of tests/data through every route that should agree."""
