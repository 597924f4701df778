"""On the path of processes that a script under `python -m storymeter.compat` starts."""
