"""CIDEr, under the original's module paths."""
