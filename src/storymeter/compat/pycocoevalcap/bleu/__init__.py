"""BLEU, under the original's module paths."""
