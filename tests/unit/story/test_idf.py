"""idf of nouns: one for all systems and signed; grounding per noun, noun counts, what the sum follows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings, strategies as st
from part_kit import need

from storymeter.captions import Caption, Corpus, Document
from storymeter.cli import cli
from storymeter.context import Context
from storymeter.engine import Run
from storymeter.errors import DataError, StorymeterWarning, UsageError
from storymeter.formats import read
from storymeter.registry import metric
from storymeter.report import present, write_report
from storymeter.story import Grounding
from storymeter.story.grounding import Grounded
from storymeter.story.nouns import NounFrequencies, count_nouns, fixed_frequencies, story_nouns
from storymeter.story.regions import Box

need("torch")
need("HanTa")
pytest.importorskip("PIL.Image")

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "stories"
IMAGES = str(EXAMPLES / "images")
GOOD, DULL = (read(EXAMPLES / f"{name}.json") for name in ("good", "dull"))


def _values(corpus: Corpus, name: str, references: Corpus | tuple[()] = (), **options: Any) -> Any:
    run = Run(references, images=IMAGES, **options)
    (score,) = run.score(corpus, name, resamples=0).systems[0].scores
    assert score.rows is not None
    return score, dict(zip(score.ids, score.rows[:, 0].tolist(), strict=True))


def _part(corpus: Corpus, *places: int, name: str = "part") -> Corpus:
    return Corpus(tuple(corpus.documents[k] for k in places), name, "story")


def test_a_story_has_one_value_in_every_file_and_run() -> None:
    """Alone, in its own file, and among the stories of another system."""
    _, whole = _values(GOOD, "rovist_vg")
    _, other = _values(DULL, "rovist_vg")
    mixed = Corpus((*GOOD.documents[:4], *DULL.documents[4:]), "mixed", "story")
    _, together = _values(mixed, "rovist_vg")
    for k, document in enumerate(GOOD.documents):
        _, alone = _values(_part(GOOD, k), "rovist_vg")
        assert alone[document.id] == whole[document.id]
        assert together[document.id] == (whole if k < 4 else other)[document.id]


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_equal_signatures_mean_equal_numbers(data: st.DataObject) -> None:
    """Of a story, in runs over files, references and sources of idf drawn at random."""
    source = data.draw(st.sampled_from(["vist", "none", "corpus", "references"]))
    places = data.draw(st.sets(st.integers(1, 7), max_size=5))
    corpus = _part(GOOD, 0, *sorted(places))
    references = data.draw(st.sampled_from([GOOD, DULL]))
    with pytest.warns() if source in ("corpus", "references") else _nothing():
        score, values = _values(corpus, f"rovist_vg(idf={source})", references, protocol="paper+missing=skip")
    key = str(score.signature)
    first = GOOD.documents[0].id
    assert _SEEN.setdefault(key, values[first]) == values[first]


_SEEN: dict[str, float] = {}


class _nothing:
    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


def test_regions_that_were_kept_before_change_no_bit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A box of one table is also in another, and its vector was made beside other boxes."""
    boxes = [f"boat.png,{k},{k},20,20" for k in range(9)]
    tables = [tmp_path / "one.csv", tmp_path / "all.csv"]
    for table, count in zip(tables, (1, 9), strict=True):
        table.write_text("\n".join(["image,x,y,w,h", *boxes[:count]]) + "\n")
    found = []
    for cache, used in (("fresh", tables[1:]), ("used", tables)):
        monkeypatch.setenv("STORYMETER_CACHE", str(tmp_path / cache))
        for table in used:
            store = metric(f"rovist_vg(regions={table})").store(Context(images=IMAGES))
            vectors, _ = store.get("boat")
        found.append(vectors)
    assert np.array_equal(*found)


def test_nouns_without_wordnet_have_another_signature(monkeypatch: pytest.MonkeyPatch) -> None:
    context = Context(images=IMAGES)
    for name in ("rovist", "rovist_vg", "tiger"):
        whole = metric(name).signature(context)
        with monkeypatch.context() as patch:
            patch.setattr("storymeter.story.nouns._wordnet_nouns", frozenset)
            assert metric(name).signature(context).get("nouns") == "without-wordnet"
        assert metric(name).signature(context) == whole and not whole.get("nouns")


def test_pictures_without_boxes_are_said(tmp_path: Path) -> None:
    """Stories name pictures without a suffix; a table that names none of them is an error."""
    captions = tuple(Caption(f"the {name} is here .", image=name) for name in ("boat", "fish"))
    story, table = Corpus((Document("a", captions),), "x"), tmp_path / "boxes.csv"
    values = []
    for names in (("boat.png", "fish.png"), ("boat", "fish"), ("boat.jpg",), ("cat",)):
        table.write_text("image,x,y,w,h\n" + "".join(f"{name},0,0,20,20\n" for name in names))
        if names == ("cat",):
            with pytest.raises(DataError, match="has no boxes for 2 of 2 images: boat, fish"):
                _values(story, f"rovist_vg(regions={table})")
        elif names == ("boat.jpg",):
            with pytest.warns(StorymeterWarning, match="no boxes for 1 of 2 images, .* whole image: fish"):
                _values(story, f"rovist_vg(regions={table})")
        else:
            values.append(_values(story, f"rovist_vg(regions={table})")[1])
    assert values[0] == values[1]


def test_two_files_have_two_signatures_where_idf_is_of_the_file() -> None:
    with pytest.warns(StorymeterWarning, match="counted over 8 stories"):
        one, _ = _values(GOOD, "rovist_vg(idf=corpus)")
        two, _ = _values(_part(GOOD, 0, 1, 2), "rovist_vg(idf=corpus)")
    assert one.signature.get("stories").startswith("8#")
    assert two.signature.get("stories").startswith("3#")


def test_idf_of_the_references_is_that_of_all_systems() -> None:
    """A system that lacks stories is measured by the same idf."""
    run = Run(DULL, protocol="paper+missing=skip", images=IMAGES)
    with pytest.warns(StorymeterWarning, match="idf=references"):
        results = run.score([GOOD, _part(GOOD, 0, 1)], "rovist_vg(idf=references)", resamples=0)
    whole, part = (system.scores[0] for system in results.systems)
    assert whole.signature == part.signature and part.rows is not None and whole.rows is not None
    at = [whole.ids.index(id) for id in part.ids]
    assert np.array_equal(whole.rows[at], part.rows)
    with pytest.raises(UsageError, match="needs references"):
        _values(GOOD, "rovist_vg(idf=references)")


def test_a_file_of_stories_or_of_counts(tmp_path: Path) -> None:
    counts = tmp_path / "counts.tsv"
    counts.write_text("noun\tof 200 stories\nboat\t3\nbeach\t40\n")
    score, _ = _values(GOOD, f"rovist_vg(idf={counts})")
    assert score.signature.get("idf") == "file" and score.signature.get("stories").startswith("200#")
    with pytest.warns(StorymeterWarning, match="counted over 8 stories"):
        of_stories, _ = _values(GOOD, f"rovist_vg(idf={EXAMPLES / 'good.json'})")
        of_corpus, _ = _values(GOOD, "rovist_vg(idf=corpus)")
    assert of_stories.value == of_corpus.value
    assert of_stories.signature.get("stories") == of_corpus.signature.get("stories")
    with pytest.raises(UsageError, match="no file 'tf'"):
        _values(GOOD, "rovist_vg(idf=tf)")
    counts.write_text("noun\tof 300 stories\nboat\t3\n")  # a file that has changed is read again
    score, _ = _values(GOOD, f"rovist_vg(idf={counts})")
    assert score.signature.get("stories").startswith("300#")
    counts.write_text("noun\tof many stories\nboat\t3\n")
    with pytest.raises(DataError, match="not a table of noun counts"):
        fixed_frequencies(str(counts))


def test_stories_in_any_shape_are_counted_by_story(tmp_path: Path) -> None:
    """Lists of sentences and rows of one id are the sentences of a story, and no stories of their own."""
    import json

    told = {document.id: [c.text for c in document.captions] for document in GOOD}
    rows = [f'{id},"{text}"' for id, texts in told.items() for text in texts]
    shapes = {
        "object.json": json.dumps(told),
        "lists.jsonl": "".join(json.dumps({"id": k, "sentences": v}) + "\n" for k, v in told.items()),
        "rows.csv": "\n".join(["story_id,sentence", *rows]) + "\n",
        "lines.txt": "".join(" ".join(texts) + "\n" for texts in told.values()),
    }
    labels = set()
    for name, text in shapes.items():
        (tmp_path / name).write_text(text)
        found = fixed_frequencies(str(tmp_path / name))
        assert found is not None and found.stories == len(told), name
        labels.add(found.label)
    assert len(labels) == 1


def test_the_packaged_counts_are_those_of_vist(data: Path) -> None:
    packaged = fixed_frequencies("vist")
    made = count_nouns(story_nouns(read(data / "vist" / "val_reference.json").documents))
    assert packaged is not None and packaged.stories == 4988
    assert packaged.label == made.label


def test_idf_is_zero_or_less_only_for_a_noun_of_every_story() -> None:
    counted = NounFrequencies(10, {"day": 10, "dog": 9})
    assert counted.idf("day") < 0 and counted.idf("dog") == 0 and counted.idf("moon") == np.log(10)


def test_grounding_per_noun_does_not_grow_with_the_number_of_nouns() -> None:
    """The same nouns five times as often."""
    few, many = (
        Corpus(
            (Document("a", tuple(Caption("the boat .", image="boat.png") for _ in range(n))),),
            f"x{n}",
            "story",
        )
        for n in (1, 5)
    )
    results = Run(images=IMAGES).score([few, many], "rovist_vg", resamples=0)
    one, five = (system.scores[0] for system in results.systems)
    assert five.value == pytest.approx(one.value + np.log(5))
    assert five.parts["per_noun"] == pytest.approx(one.parts["per_noun"])
    assert (one.parts["nouns"], five.parts["nouns"]) == (1, 5)
    assert "x5 has 5.0 nouns a story and x1 1.0" in present(results).tables("table", None)[0].note
    mean = Run(images=IMAGES).score([few, many], "rovist_vg(pooling=mean)", resamples=0)
    assert mean.systems[1].scores[0].value == pytest.approx(one.parts["per_noun"])
    twice = Corpus((Document("a", (Caption("the boat saw a boat .", image="boat.png"),)),), "twice", "story")
    once, both = (_values(twice, f"rovist_vg(mentions={how})")[0] for how in ("sentence", "all"))
    assert (once.parts["nouns"], both.parts["nouns"]) == (1, 2)


def test_stories_that_a_system_lacks_are_no_sign_of_few_nouns() -> None:
    """Two systems with the same stories, of which one lacks some."""
    part = _part(GOOD, 0, 1, 2, 3, 4, 5)
    results = Run(GOOD, images=IMAGES).score([GOOD, part], "rovist_vg", resamples=0)
    assert results.systems[1].scores[0].parts["no_nouns"] == 2 / 8
    assert "nouns a story" not in present(results).tables("table", None)[0].note


def test_per_noun_leaves_out_stories_without_nouns() -> None:
    told = Document("a", (Caption("the boat .", image="boat.png"),))
    mute = Document("b", (Caption("we were there .", image="boat.png"),))
    (alone, both) = (_values(Corpus(d, "x", "story"), "rovist_vg")[0] for d in ((told,), (told, mute)))
    assert both.parts["per_noun"] == alone.parts["per_noun"] and both.value == pytest.approx(alone.value / 2)


def test_vg_of_one_noun_may_be_negative() -> None:
    """The range is stated so: it is not '0 or more'."""
    found = [Grounded("dream", 0, "a.png", Box(0, 0, 1, 1), -0.08, 2.0)]
    assert Grounding().pooled(found) == pytest.approx(-0.16)


def test_the_three_numbers_and_their_scaled_sum_stand_before_the_sum(tmp_path: Path) -> None:
    results = Run(images=IMAGES).score([GOOD, DULL], "rovist", resamples=0)
    table = present(results).tables("table", None)[0]
    assert [head.name for head in table.heads] == [
        "system",
        "vg",
        "c",
        "nr",
        "scaled_sum",
        "rovist(efficientnet,minilm)",
    ]
    parts = results.systems[0].scores[0].parts
    vg = 2 / (1 + np.exp(-results.systems[0].scores[0].rows[:, 1] / 2)) - 1  # type: ignore[index]
    assert parts["scaled_sum"] == pytest.approx(vg.mean() + parts["c"] + parts["nr"])
    assert "rovist is the sum VG + C + NR; over these 16 stories it correlates with VG +" in table.note
    write_report(results, tmp_path / "report.html")
    cell = (tmp_path / "report.html").read_text().partition('<td data-column="0">')[2].partition("</td>")[0]
    shown = [f"{name} {parts[name]:.2f}" for name in ("vg", "c", "nr", "scaled_sum")]
    places = [cell.index(text) for text in (*shown, f"{results.systems[0].scores[0].value:.2f}")]
    assert places == sorted(places)


def test_systems_with_two_idf_are_not_compared_in_silence() -> None:
    runner = CliRunner()
    files = [str(EXAMPLES / f"{name}.json") for name in ("good", "dull")]
    with pytest.warns(StorymeterWarning, match="stories is"):
        found = runner.invoke(cli, ["score", *files, "--images", IMAGES, "-m", "rovist_vg(idf=corpus)"])
    assert found.exit_code == 0
