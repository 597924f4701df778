"""SPICE, under the original's module paths."""
