"""The sub-verbs of `storymeter human`, one module each, with a click command named `command`."""
