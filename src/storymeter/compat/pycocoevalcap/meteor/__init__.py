"""METEOR, under the original's module paths."""
