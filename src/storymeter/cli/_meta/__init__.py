"""Sub-verbs of `storymeter meta`, one module each, found by file name."""
