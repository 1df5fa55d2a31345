"""Tests of the Python modules, one file for each."""
