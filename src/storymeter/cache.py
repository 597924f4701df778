"""Folders that environment variables name, and where things are kept that can be made again."""

import os
import sys

CACHE = "STORYMETER_CACHE"
#: the folder of the user's that METEOR's word lists are read from
METEOR_DATA = "STORYMETER_METEOR_DATA"


def cache_folder() -> str:
    """`STORYMETER_CACHE`, else the user's cache directory."""
    chosen = os.environ.get(CACHE)
    if chosen:
        return chosen
    # what platformdirs gives, whose import would take a tenth of the time to the first score
    home = os.environ.get("XDG_CACHE_HOME", ""), os.path.join(os.environ.get("HOME", ""), ".cache")
    absolute = next(filter(os.path.isabs, home), "")
    if sys.platform == "linux" and absolute:
        return os.path.join(absolute, "storymeter")
    from platformdirs import user_cache_dir

    return user_cache_dir("storymeter")
