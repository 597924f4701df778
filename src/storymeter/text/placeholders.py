"""Words for the placeholders that data sets put where names stood: `[male]`, `[female]`, `[location]`,
`[organization]`.

At scoring time each kind always gives the same word, so that a story has one score; for training, names are
drawn at random, so that a model cannot learn one of them.

>>> fill("[male] and [FEMALE] went to [location] .")
'john and mary went to springfield .'
"""

import random
import re

_PLACEHOLDER = re.compile(r"\[\s*([a-z_]+)\s*\]", re.IGNORECASE)
_WORDS: dict[str, tuple[str, ...]] = {
    "male": (
        "john",
        "tom",
        "james",
        "mike",
        "david",
        "bob",
        "sam",
        "dan",
        "peter",
        "mark",
        "paul",
        "steve",
        "kevin",
        "brian",
        "george",
        "eric",
        "adam",
        "jack",
        "ben",
        "luke",
        "frank",
        "henry",
        "matt",
        "nick",
        "tim",
        "ryan",
        "joe",
        "carl",
        "alex",
        "scott",
        "greg",
        "ken",
    ),
    "female": (
        "mary",
        "anna",
        "lisa",
        "kate",
        "sarah",
        "emma",
        "jane",
        "amy",
        "susan",
        "linda",
        "laura",
        "julie",
        "karen",
        "nancy",
        "alice",
        "rachel",
        "maria",
        "emily",
        "jenny",
        "helen",
        "ellen",
        "kelly",
        "beth",
        "claire",
        "diana",
        "megan",
        "lucy",
        "molly",
        "tina",
        "sophie",
        "carol",
        "rose",
    ),
    "neutral": ("alex", "sam", "jordan", "taylor", "casey", "robin", "jamie", "morgan"),
    "location": (
        "springfield",
        "paris",
        "boston",
        "chicago",
        "london",
        "florida",
        "denver",
        "texas",
        "seattle",
        "italy",
        "oakland",
        "mexico",
    ),
    "organization": (
        "the company",
        "the club",
        "the school",
        "the team",
        "the church",
        "the museum",
        "the university",
        "the store",
    ),
}


def fill(text: str, source: random.Random | None = None) -> str:
    """`text` with a word in each placeholder's place; one draw per kind and text when `source` is given. A
    placeholder of an unknown kind keeps its own word."""
    if "[" not in text:
        return text
    chosen: dict[str, str] = {}

    def word(match: re.Match[str]) -> str:
        kind = match.group(1).lower()
        words = _WORDS.get(kind)
        if words is None:
            return kind
        if kind not in chosen:
            chosen[kind] = source.choice(words) if source is not None else words[0]
        return chosen[kind]

    return _PLACEHOLDER.sub(word, text)
