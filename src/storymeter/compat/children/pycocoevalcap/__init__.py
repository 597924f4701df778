"""What `import pycocoevalcap` finds in a process that a script under `python -m storymeter.compat` started:
ours takes this module's place."""

import sys

import storymeter.compat

sys.modules.pop(__name__, None)
storymeter.compat.install()
