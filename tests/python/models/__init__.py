"""Tests of model families: tags against a recogniser and renderers of their own."""
