"""PTB tokens, under the original's module paths."""
