"""`pycocoevalcap` without Java: the same modules, classes, results and assertions.

Numbers equal the original's to 1e-9, SPICE aside (`spice.spice` says why). Knowingly different:

- a call that fails an assertion says what is wrong, and the next call works (the original's METEOR waits
  for ever then);
- a line break of any kind inside a caption is white space; there, all but a plain newline push every later
  caption one place on, so that captions meet other images' references;
- a lone surrogate is read as U+FFFD; there it is an error;
- scorers may be called from several threads, and `CiderScorer.compute_score` twice.
"""
