"""The tokeniser on examples, one rule family after the other."""

from __future__ import annotations

import pytest

from storymeter.text import ptb

#: a name, a line, and its tokens
_LINES = """\
contractions
    He can't cannot gonna don't won't it's he'll they've I'm you'd John's boys'
    he ca n't can not gon na do n't wo n't it 's he 'll they 've i 'm you 'd john 's boys '
more contractions
    i'd've shouldn't've ain't more'n
    i 'd 've should n't 've ai n't more 'n
quotes
    She says "hello" and 'goodbye'.
    she says `` hello '' and ` goodbye ' .
nested quotes
    "'hello'" "-a" it's' don`t it`s
    '' ` hello ' '' '' - a '' it 's ' do n`t it ` s
dots
    He said... wait .... no...... .. . . .
    he said ... wait ... no ... . . ...
dots behind letters
    a... b.. x.... hello.. no.
    a. . . b. . x. ... hello . . no .
acronyms
    Washington D.C. in the U.S. The end etc. Then
    washington d.c. in the u.s. . the end etc. . then
numbers
    $5.00 1,000.50 50% #1 2 1/2 10:30 a.m.
    $ 5.00 1,000.50 50 % # 1 2\u00a01/2 10:30 a.m.
brackets and smileys
    (a) [b] {c} <tag> :) ;-) =( <3
    -lrb- a -rrb- -lsb- b -rsb- -lcb- c -rcb- <tag> :-rrb- ;--rrb- =-lrb- < 3
glued words
    seven!eight end.Next wow!!! really?!
    seven!eight end.next wow !!! really ?!
insertions
    one,two three;four five:six
    one , two three ; four five : six
apostrophe words
    rock'n'roll 'tis y'all c'mon d'Artagnan 90's '90s
    rock 'n' roll 't is y' all c'mon d'artagnan 90 's '90s
a tag by accident
    a<b a>b fish&chips AT&T foo*bar
    a <b\u00a0a> b fish & chips at&t foo * bar
feet and inches
    5'10" 6' 20ft 877-415-8342
    5 ' 10 '' 6 ' 20ft 877-415-8342
a telephone across a blank
    555-1234 877-415-8342
    555-1234\u00a0877-415 -8342
ranges
    1:30-ish -5-6 1.5-2.5 10:30-11:30
    1:30 - ish -5 -6 1.5-2 .5 10:30 -11:30
hyphens
    what's-his-name mother-in-law's
    what 's - his-name mother-in-law 's
hyphenated words stay whole
    t-shirt jack-o-lantern 3.5-inch U.S.-based
    t-shirt jack-o-lantern 3.5-inch u.s.-based
slashes
    he/she and/or w/o 1/2/3 a/b/c/d
    he/she and/or w/o 1/2/3 a/b/c / d
dashes
    a-b a--b a---b a----b a-----b
    a-b a -- b a -- b a -- b a ----- b
titles
    Mr. Smith vs. Dr. Jones
    mr. smith vs. dr. jones
numbered things
    see no. 5 and fig.5 but no. more
    see no. 5 and fig. 5 but no . more
addresses
    mail a.b@c.org or see http://a.org/b.
    mail a.b@c.org or see http://a.org/b .
British spelling stays
    colour theatre grey
    colour theatre grey
""".splitlines()
EXAMPLES = {
    **{
        name: (line.strip(" "), tokens.strip(" "))
        for name, line, tokens in zip(_LINES[::3], _LINES[1::3], _LINES[2::3], strict=True)
    },
    "blanks only": (" \t ", ""),
    "nothing": ("", ""),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name: str) -> None:
    line, expected = EXAMPLES[name]
    assert ptb.tokenize_joined([line], punctuation=True) == [expected]


def test_exactly_the_punctuation_set_is_dropped() -> None:
    line = "a 'b' \"c\" (d) [e] . ? ! , : - -- ... ; !! ?! ------ $ % & # @ * + = / | ~ ^ _ :)"
    assert ptb.tokenize([line], punctuation=False) == [
        [
            "a",
            "b",
            "c",
            "-lrb-",
            "d",
            "-rrb-",
            "-lsb-",
            "e",
            "-rsb-",
            "!!",
            "?!",
            "------",
            *"$%&#@*+=/|~^_",
            ":-rrb-",
        ],
    ]


def test_punctuation_alone_leaves_nothing() -> None:
    assert ptb.tokenize(["... , !", ""], punctuation=False) == [[], []]


def test_a_line_ends_with_nothing_behind_it() -> None:
    """The next line does not matter: alone, before a sentence word, before a small word."""
    alone = ptb.tokenize(["This is plan a."], punctuation=True)
    assert alone == [["this", "is", "plan", "a."]]
    assert ptb.tokenize(["This is plan a.", "The end"], punctuation=True)[:1] == alone
    assert ptb.tokenize(["And so on etc.", "and"], punctuation=True)[0][-2:] == ["etc.", "."]


def test_newlines_inside_a_line_are_blanks() -> None:
    assert ptb.tokenize(["a dog\nruns\r\nhome\u2028now"], punctuation=True) == [
        ["a", "dog", "runs", "home", "now"]
    ]


def test_nothing_stands_behind_the_last_line_of_a_batch() -> None:
    """As the original printed it: a word begins a sentence only before white space."""

    for last, alone, behind in [
        ("x plan A. The", "x plan a. the", "x plan a the"),
        ("x U.S. <b>", "x u.s. <b>", "x u.s. <b>"),
        (";d", "d", ";d"),
        ("d''rem're", "d' rem re", "d' rem 're"),
    ]:
        assert ptb.tokenize_batch(["A dog.", last], punctuation=False)[-1] == alone
        assert ptb.tokenize_batch([last, "A dog."], punctuation=False)[0] == behind
        assert ptb.tokenize_batch([last, ""], punctuation=False)[0] == behind
    assert ptb.tokenize_batch(["x plan A.", "The"], punctuation=False)[0] == "x plan a."
    assert ptb.tokenize_batch(["x plan A.", "The", "end"], punctuation=False)[0] == "x plan a"
    assert ptb.tokenize_batch([], punctuation=False) == []


def test_captions_of_a_video_are_read_together_by_the_rule_of_a_batch() -> None:
    from storymeter.context import Context
    from storymeter.pairs import sentences as read

    lines = ["He says no.", "29 dogs bark", "A cat.", "She lives in the U.S.", "The end"]
    sentences = read.Sentences(Context(), "ptb")
    assert sentences.run_on(lines) == [0, 3]
    together = ptb.tokenize_batch(lines, punctuation=False)
    for k in (0, 3):
        assert sentences.texts[sentences.number_before(lines[k], lines[k + 1])] == together[k]
