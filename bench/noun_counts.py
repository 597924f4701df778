"""Counts in how many stories each noun occurs: the table behind `rovist_vg(idf=FILE)`.

    python bench/noun_counts.py STORIES… > counts.tsv

The packaged table (src/storymeter/story/data/vist_nouns.tsv) is the output for the human stories of VIST's
validation set:

    python bench/noun_counts.py data/vist/val_reference.json
"""

from __future__ import annotations

import sys

from storymeter.formats import read
from storymeter.story.nouns import count_nouns, story_nouns


def main(paths: list[str]) -> None:
    if not paths:
        sys.exit(__doc__)
    documents = [document for path in paths for document in read(path, role="references", lists="story")]
    found = count_nouns(story_nouns(documents))
    print(f"noun\tof {found.stories} stories")
    for noun, count in sorted(found.counts.items(), key=lambda item: (-item[1], item[0])):
        print(f"{noun}\t{count}")


if __name__ == "__main__":
    main(sys.argv[1:])
