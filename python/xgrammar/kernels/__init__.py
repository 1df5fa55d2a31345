"""Applying token bitmasks to logits, one module for each way to do it."""
