"""More files of captions, written by somebody who had not seen the readers; `shape_files` has the others."""

from __future__ import annotations

from typing import Any

from shape_files import EVENTS, GOLD, ONE, TALE, Shape, _json, _lines, _table, dense, single, story


def _zipped(**columns: Any) -> list[dict[str, Any]]:
    """Records out of columns by id."""
    return [{name: column[id] for name, column in columns.items()} for id in ONE]


def _two() -> dict[str, list[str]]:
    return {id: [ONE[id], GOLD[id]] for id in ONE}


def _both() -> list[tuple[str, list[tuple[str, float | None, float | None]]]]:
    return [(id, [(text, None, None)]) for id, texts in _two().items() for text in texts]


NUMBERS = {id: 391895.0 + n for n, id in enumerate(ONE)}
ROWS = [(id, start, end, text) for id, events in EVENTS.items() for start, end, text in events]


def containers() -> list[Shape]:
    named = [{"file": f"{id}.mp4", "description": text} for id, text in ONE.items()]
    log = [{"doc_id": id, "target": GOLD[id], "filtered_resps": [ONE[id]]} for id in ONE]
    batch = [
        {"image": {"id": id, "url": f"http://x/{n}.jpg"}, "caption": ONE[id]} for n, id in enumerate(ONE)
    ]
    empty = [{"video_id": id, "caption": text or None} for id, text in {**ONE, "d4": ""}.items()]
    odd = [
        {"video_id": "a1", "caption": ONE["a1"], "extra": {"k": [1, 2]}},
        {"caption": ONE["b2"], "video_id": "b2"},
        {"video_id": "c3", "caption": ONE["c3"], "beam": [1, 2]},
    ]
    return [
        Shape(
            "ids-are-floats.json",
            _json([{"image_id": NUMBERS[id], "caption": text} for id, text in ONE.items()]),
            single({str(int(NUMBERS[id])): text for id, text in ONE.items()}),
        ),
        Shape("caption-null.json", _json(empty), single({**ONE, "d4": ""})),
        Shape("records-that-differ.json", _json(odd), single()),
        Shape(
            "results-beside-settings.json",
            _json({"args": {"model": "x"}, "model_configs": {"task": "y"}, "logs": log, "time": "2024"}),
            single(),
            documented=True,
        ),
        Shape("payload.json", _json({"status": "ok", "payload": {"items": named}}), single()),
        Shape(
            "column-names-and-rows.json",
            _json({"column_names": ["id", "hyp"], "rows": [[id, text] for id, text in ONE.items()]}),
            single(),
        ),
        Shape(
            "empty-train-beside-test.json",
            _json({"train": [], "test": _zipped(video_id={i: i for i in ONE}, caption=ONE)}),
            single(),
        ),
        Shape("image-id-and-url.json", _json(batch), single()),
        Shape(
            "texts-by-number.json",
            _json({id: dict(zip("01", texts, strict=True)) for id, texts in _two().items()}),
            _both(),
            "references",
        ),
        Shape(
            "pandas-columns-null.json",
            _json(
                {
                    "clip": {"0": "a1", "1": "b2"},
                    "caption": {"0": ONE["a1"], "1": None},
                    "gt": {"0": GOLD["a1"], "1": GOLD["b2"]},
                }
            ),
            single({"a1": ONE["a1"], "b2": ""}),
            documented=True,
        ),
        Shape(
            "textcaps.json",
            _json(
                {
                    "dataset_name": "textcaps",
                    "data": [
                        {
                            "image_id": id,
                            "image_path": f"x/{id}.jpg",
                            "reference_strs": _two()[id],
                            "caption_id": n,
                        }
                        for n, id in enumerate(ONE)
                    ],
                }
            ),
            _both(),
            "references",
            documented=True,
        ),
    ]


def tables() -> list[Shape]:
    heads = ["id", "ref1", "ref2", "hyp"]
    three = [heads, *([id, *_two()[id], f"{ONE[id]} Yes."] for id in ONE)]
    webvid = [[f"10{n}", "006_01", text, f"https://x/{n}.mp4"] for n, text in enumerate(ONE.values())]
    lists = [["video_id", "timestamps", "captions"]]
    lists += [[id, str([[s, e] for s, e, _ in ev]), str([t for *_, t in ev])] for id, ev in EVENTS.items()]
    return [
        Shape(
            "comment-above.csv",
            b"# made by x 1.2\n" + _table([["video_id", "caption"], *ONE.items()]),
            single(),
        ),
        Shape(
            "webvid.csv",
            _table([["videoid", "page_dir", "name", "contentUrl"], *webvid]),
            single({row[0]: row[2] for row in webvid}),
            documented=True,
        ),
        Shape("two-references-hyp.csv", _table(three), single({id: f"{t} Yes." for id, t in ONE.items()})),
        Shape("two-references-ref.csv", _table(three), _both(), "references"),
        Shape(
            "fewer-alternatives.csv",
            _table([["video", "caption_0", "caption_1"], ["a1", *_two()["a1"]], ["b2", ONE["b2"], ""]]),
            [("a1", [(t, None, None)]) for t in _two()["a1"]] + [("b2", [(ONE["b2"], None, None)])],
            "references",
        ),
        Shape(
            "unknown-heads-semicolon.csv",
            b"\xef\xbb\xbf" + _table([["Datei", "Beschreibung"], *ONE.items()], ";"),
            single(),
        ),
        Shape("lists-in-cells.csv", _table(lists), dense()),
        Shape(
            "elan.csv",
            _table(
                [["Begin Time - hh:mm:ss.ms", "End Time - hh:mm:ss.ms", "default", "File"]]
                + [[_clock(s), _clock(e), t, f"{id}.eaf"] for id, s, e, t in ROWS]
            ),
            dense(),
            documented=True,
        ),
        Shape(
            "epic-kitchens.csv",
            _table(
                [["video_id", "start_timestamp", "stop_timestamp", "start_frame", "stop_frame", "narration"]]
                + [[id, _clock(s), _clock(e), s * 60, e * 60, t] for id, s, e, t in ROWS]
            ),
            dense(),
            "references",
            documented=True,
        ),
        Shape(
            "charades-sta.txt",
            "".join(f"{id} {s} {e}##{t}\n" for id, s, e, t in ROWS).encode(),
            dense(),
            "references",
            documented=True,
        ),
        Shape("cells.txt", "".join(f"{id}, {s}, {e}, {t}\n" for id, s, e, t in ROWS).encode(), dense()),
    ]


def _clock(seconds: float) -> str:
    return f"00:{int(seconds // 60):02}:{seconds % 60:05.2f}"


def others() -> list[Shape]:
    answers = [
        {"video": f"{id}.mp4", "pred": "\n".join(f"[{_clock(s)} - {_clock(e)}] {t}" for s, e, t in ev)}
        for id, ev in EVENTS.items()
    ]
    studio = [
        {
            "id": n,
            "data": {"video": f"s3://x/{id}.mp4"},
            "annotations": [
                {"id": 9, "completed_by": 1, "result": [
                    {"value": {"start": s, "end": e, "text": [t]}, "type": "textarea"} for s, e, t in ev
                ]}
            ],
        }
        for n, (id, ev) in enumerate(EVENTS.items(), 1)
    ]  # fmt: skip
    told = [
        {"story_id": "s1", "image_id": f"9{n}", "text": text, "order": n} for n, text in enumerate(TALE["s1"])
    ]
    return [
        Shape("answers-of-files.jsonl", _lines(answers), dense()),
        Shape("label-studio.json", _json(studio), dense(), "references", documented=True),
        Shape("story-of-images.json", _json(told), story()[:1]),
        Shape(
            "qa-harness-references.json",
            _json([{"id": id, "Q": "What is it?", "A": GOLD[id], "pred": ONE[id]} for id in ONE]),
            single(GOLD),
            "references",
        ),
    ]


def unusual_times() -> list[Shape]:
    """Starts and ends under names that no list holds."""

    def records(*names: str, form: Any = _clock) -> list[dict[str, Any]]:
        return [
            {"clip": i, **{n: form(t) for n, t in zip(names, (s, e), strict=True)}, "description": text}
            for i, s, e, text in ROWS
        ]

    def nested(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [{"clip": i, "events": [{**r, "clip": None} for r in rows if r["clip"] == i]} for i in EVENTS]

    def rounds(time: float) -> int:
        return round(1000 * time)

    lists = [
        {"clip": i, "t_begin": [s for s, _, _ in v], "t_finish": [e for _, e, _ in v],
         "descriptions": [t for _, _, t in v]} for i, v in EVENTS.items()
    ]  # fmt: skip
    clocks = records("t_begin", "t_finish")
    texts = {id: [text for _, _, text in events] for id, events in EVENTS.items()}
    untimed = [(id, [(text, None, None)]) for id, several in texts.items() for text in several]
    spoilt = [{**r, "t_begin": "soon"} if n == 0 else r for n, r in enumerate(clocks)]
    pair = "start=t_begin,end=t_finish"
    zeros = [{"clip": i, "grade": "0", "seen": "10:30", "description": t} for i, _, _, t in ROWS]
    lengths = [{"clip": i, "at": _clock(s), "whole": "02:00", "description": text} for i, s, _, text in ROWS]
    two = [{**r, "clip_onset": r["t_begin"], "clip_out": r["t_finish"]} for r in clocks]
    return [
        Shape("begin-finish.jsonl", _lines(clocks), dense()),
        Shape("begin-finish-nested.jsonl", _lines(nested(clocks)), dense()),
        Shape("begin-finish-nested-numbers.json", _json(nested(records("t_begin", "t_finish", form=float))),
              dense()),
        Shape("begin-finish-lists.json", _json(lists), dense()),
        Shape("finish-beside-start.jsonl", _lines(records("start", "finishedAt")), dense()),
        Shape("finish-beside-time.jsonl", _lines(records("time", "t_finish")), dense()),
        Shape("begin-time.json", _json(records("beginTime", "finishTime", form=float)), dense()),
        Shape("begin-milliseconds.json", _json(records("t_begin_ms", "t_finish_ms", form=rounds)), dense()),
        Shape("clocks-without-names.jsonl", _lines(records("foo", "bar")), dense()),
        Shape("seconds-without-names.json", _json(records("foo", "bar", form=lambda t: f"{t}s")), dense()),
        Shape("numbers-without-names.json", _json(records("foo", "bar", form=float)), untimed, "references"),
        Shape("places-of-letters.json", _json(records("char_begin", "char_end", form=float)), untimed,
              "references"),
        Shape("tokens-in-and-out.json", _json(records("in", "out", form=float)), untimed, "references"),
        Shape("zeros-beside-a-clock.json", _json(zeros), untimed, "references"),
        Shape("length-beside-a-place.json", _json(lengths), untimed, "references"),
        Shape("two-pairs.json", _json(two), pair),
        Shape("begin-alone.json", _json([{k: v for k, v in r.items() if k != "t_finish"} for r in clocks]),
              "--columns start=t_begin"),
        Shape("begin-not-a-time.json", _json(spoilt), "a time is not a number"),
        Shape("reversed-unusual.json", _json(records("t_finish", "t_begin")), pair),
    ]  # fmt: skip


def refused() -> list[Shape]:
    """Not one caption per line, or several readings: the command that reads each is in the message."""
    yaml = "".join(f"- video: {id}\n  caption: {text}\n" for id, text in ONE.items())
    blocks = "\n".join(f"{id}\n{text}\n" for id, text in ONE.items())
    headed = "".join(f"# {id}\n{text}\n" for id, text in ONE.items())
    html = "<table>" + "".join(f"<tr><td>{id}</td><td>{text}</td></tr>\n" for id, text in ONE.items())
    frames = [["id", "start_frame", "end_frame", "text"], *([i, s * 30, e * 30, t] for i, s, e, t in ROWS)]
    beams = {
        key: {"best": {"text": ONE[id]}, "beams": [{"text": GOLD[id]}]}
        for key, id in (("a", "a1"), ("b", "b2"))
    }
    classes = [{"video": id, "label": "sports", "caption": text} for id, text in ONE.items()]
    tongues = [{"video_id": id, "captions": {"en": text, "de": GOLD[id]}} for id, text in ONE.items()]
    return [
        Shape("records.yaml", yaml.encode(), "--from lines"),
        Shape("blocks.txt", blocks.encode(), "--from lines"),
        Shape("headings.txt", headed.encode(), "--from lines"),
        Shape("page.html", html.encode(), "--from lines"),
        Shape("frames-alone.csv", _table(frames), "--columns fps=25"),
        Shape("beams.json", _json({"version": "1", "items": beams}), "choose"),
        Shape("class-beside-caption.json", _json(classes), "choose", "references"),
        Shape("two-languages.json", _json(tongues), "choose"),
    ]


def strangers() -> list[Shape]:
    return [*containers(), *tables(), *others(), *unusual_times(), *refused()]
