"""`python -m storymeter.compat script.py …`: run an unchanged script with our scores in place of Java's.

`-m module …` runs a module instead (`python -m storymeter.compat -m lmms_eval --tasks …`). Processes that the
script starts (workers of `multiprocessing`, `accelerate launch`) get our scores too, by their path.
"""

import os
import runpy
import sys
from pathlib import Path

from . import install

USAGE = """\
Usage: python -m storymeter.compat SCRIPT [ARGUMENT ...]
       python -m storymeter.compat -m MODULE [ARGUMENT ...]

Runs the script with storymeter in the place of pycocoevalcap: the same numbers, without Java.
Example: python -m storymeter.compat evaluate.py --results captions.json"""


def start() -> None:
    """Ours in this process, and in those that it starts."""
    install()
    folder = str(Path(__file__).parent / "children")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [folder, os.environ.get("PYTHONPATH")]))
    sys.path.insert(0, folder)  # workers of multiprocessing get this path


def main(arguments: list[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help") or arguments == ["-m"]:
        print(USAGE, file=sys.stdout if arguments[:1] in (["-h"], ["--help"]) else sys.stderr)
        return 0 if arguments[:1] in (["-h"], ["--help"]) else 2
    if arguments[0] == "-m":
        start()
        sys.argv = arguments[1:]
        sys.path.insert(0, str(Path.cwd()))
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        return 0
    script = Path(arguments[0])
    if not script.is_file():
        print(f"Error: there is no script {arguments[0]!r}.\n\n{USAGE}", file=sys.stderr)
        return 2
    start()
    sys.argv = arguments
    sys.path.insert(0, str(script.resolve().parent))
    runpy.run_path(str(script), run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
