"""JSON-Schema-Test-Suite folders against the library: a runner with a table, and a test."""
