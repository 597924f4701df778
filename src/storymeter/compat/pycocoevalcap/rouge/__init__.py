"""ROUGE-L, under the original's module paths."""
