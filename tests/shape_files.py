"""Files of captions as researchers have them, and what must come out of each.

    python tests/shape_files.py DIR          writes all of them into a folder, with an index

Half of the shapes are those of documented formats: pycocoevalcap, lmms-eval, VLMEvalKit, LLaVA, ms-swift,
LLaMA-Factory, Video-ChatGPT, HF datasets, W&B tables, pandas defaults, Whisper, answers of language models.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import lzma
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from xml.sax.saxutils import escape

Timed = tuple[str, float | None, float | None]
Documents = list[tuple[str, list[Timed]]]

ONE = {
    "a1": "A dog runs across the park.",
    "b2": "Two men cook pasta, then eat it.",
    "c3": "Rain falls on a red car.",
}
GOLD = {"a1": "A brown dog is running.", "b2": "Men are cooking.", "c3": "It rains."}
EVENTS: dict[str, list[tuple[float, float, str]]] = {
    "a1": [(0, 4.5, "A dog runs in the park."), (4.5, 9, "It jumps over a log.")],
    "b2": [(1, 65.25, "A man cooks pasta.")],
}
LENGTH = {"a1": 9.5, "b2": 70.0}
TALE = {
    "s1": ["We went to the lake.", "The sun was out.", "Kids swam.", "We ate lunch.", "Then we left."],
    "s2": ["It was her birthday.", "She got a cake.", "Friends came over.", "They sang.", "She was happy."],
}
PHOTOS = {"s1": ["11", "12", "13", "14", "15"], "s2": ["21", "22", "23", "24", "25"]}


@dataclass(frozen=True)
class Shape:
    """A file, how it is given to a verb, and the documents (or a part of the error) that must come out."""

    name: str
    data: bytes
    expected: Documents | str
    role: Literal["candidates", "references"] = "candidates"
    kind: str | None = None
    #: the file is in a format that is documented elsewhere
    documented: bool = False

    @property
    def read(self) -> bool:
        return not isinstance(self.expected, str)


def single(texts: dict[str, str] | None = None) -> Documents:
    return [(id, [(text, None, None)]) for id, text in (texts or ONE).items()]


def dense() -> Documents:
    return [(id, [(t, s, e) for s, e, t in events]) for id, events in EVENTS.items()]


def story() -> Documents:
    return [(id, [(t, None, None) for t in sentences]) for id, sentences in TALE.items()]


def told() -> Documents:
    """Stories that are one text."""
    return [(id, [(" ".join(sentences), None, None)]) for id, sentences in TALE.items()]


def alternatives() -> Documents:
    return [(id, [(text, None, None)]) for id in ONE for text in (ONE[id], GOLD[id])]


def _json(value: Any, **options: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, **options).encode()


def _lines(values: Any) -> bytes:
    return b"".join(_json(value) + b"\n" for value in values)


def _table(rows: list[list[Any]], delimiter: str = ",") -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return out.getvalue().encode()


def workbook(rows: list[list[Any]]) -> bytes:
    """A small Excel file: texts are shared, numbers are numbers."""
    shared: list[str] = []
    lines = []
    for n, row in enumerate(rows, 1):
        cells = []
        for k, cell in enumerate(row):
            place = f"{chr(65 + k)}{n}"
            if isinstance(cell, str):
                shared.append(cell)
                cells.append(f'<c r="{place}" t="s"><v>{len(shared) - 1}</v></c>')
            elif cell is not None:
                cells.append(f'<c r="{place}"><v>{cell}</v></c>')
        lines.append(f'<row r="{n}">{"".join(cells)}</row>')
    space = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    strings = "".join(f"<si><t>{escape(text)}</t></si>" for text in shared)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/workbook.xml", f"<workbook {space}/>")
        archive.writestr("xl/sharedStrings.xml", f"<sst {space}>{strings}</sst>")
        sheet = f"<worksheet {space}><sheetData>{''.join(lines)}</sheetData></worksheet>"
        archive.writestr("xl/worksheets/sheet1.xml", sheet)
    return out.getvalue()


def _records(id: str, text: str, **more: Any) -> list[dict[str, Any]]:
    """Records of `ONE`; a value that can be called gets the id."""
    return [
        {id: i, text: t, **{k: v(i) if callable(v) else v for k, v in more.items()}} for i, t in ONE.items()
    ]


def _clock(seconds: float) -> str:
    whole, part = divmod(seconds, 1)
    minutes, rest = divmod(int(whole), 60)
    return f"{minutes:02}:{rest:02}" + (f"{part:.2f}"[1:] if part else "")


def _long_clock(seconds: float) -> str:
    return f"0:{int(seconds) // 60:02}:{seconds % 60:06.3f}"


def captions() -> list[Shape]:
    table = [[i, t] for i, t in ONE.items()]
    sample = [
        {
            "doc_id": n,
            "doc": {"video_id": i, "question": "Describe the video.", "answer": GOLD[i]},
            "target": GOLD[i],
            "arguments": {"gen_args_0": {"arg_0": "Describe the video."}},
            "resps": [[t]],
            "filtered_resps": [t],
            "doc_hash": f"{n:064x}",
            "prompt_hash": "0" * 64,
        }
        for n, (i, t) in enumerate(ONE.items())
    ]
    long = "Describe this video in one sentence."
    shapes: list[tuple[Any, ...]] = [
        ("list_video_id.json", _json(_records("video_id", "caption")), True),
        ("list_image_name.json", _json(_records("image_name", "Caption")), False),
        ("list_clip_text.json", _json(_records("clip", "text", split="test")), False),
        ("list_videoID_enCap.json", _json(_records("videoID", "enCap")), True),
        ("list_name_output.json", _json(_records("name", "model_output", prompt=long)), False),
        ("list_key_hyp.json", _json(_records("key", "hyp")), False),
        ("list_unknown_names.json", _json(_records("stück", "worte", score=0.5)), False),
        ("qa_harness.json", _json(_records("id", "pred", Q=long, A=GOLD.get)), True),
        ("video_chatgpt.json", _json(_records("video_name", "pred", question=long, answer=GOLD.get)), True),
        ("prediction_and_gt.json", _json(_records("vid", "prediction", gt=GOLD.get)), False),
        ("caption_is_reference.json", _json(_records("id", "generated_caption", caption=GOLD.get)), False),
        ("two_rows_pretty.json", _json(_records("video_id", "description"), indent=1), False),
        ("paths.json", _json([{"file": f"data/clips/{i}.mp4", "caption": t} for i, t in ONE.items()]), False),
        (
            "windows_paths.json",
            _json([{"path": f"D:\\v\\{i}.avi", "text": t} for i, t in ONE.items()]),
            False,
        ),
        ("lines.jsonl", _lines(_records("video_id", "caption")), True),
        (
            "llava.jsonl",
            _lines(
                {
                    "question_id": i,
                    "prompt": long,
                    "text": t,
                    "answer_id": f"x{n}",
                    "model_id": "llava",
                    "metadata": {},
                }
                for n, (i, t) in enumerate(ONE.items())
            ),
            True,
        ),
        (
            "ms_swift.jsonl",
            _lines(
                {
                    "response": t,
                    "labels": GOLD[i],
                    "logprobs": None,
                    "messages": [
                        {"role": "user", "content": "<video>" + long},
                        {"role": "assistant", "content": t},
                    ],
                    "videos": [f"data/{i}.mp4"],
                }
                for i, t in ONE.items()
            ),
            True,
        ),
        (
            "llama_factory.jsonl",
            _lines(
                {"prompt": long, "predict": t, "label": GOLD[i], "video": f"{i}.mp4"} for i, t in ONE.items()
            ),
            True,
        ),
        ("lmms_eval_samples.jsonl", _lines(sample), True),
        (
            "lmms_eval_no_doc.jsonl",
            _lines(
                {k: v for k, v in {**s, "doc_id": s["doc"]["video_id"]}.items() if k != "doc"} for s in sample
            ),
            True,
        ),
        (
            "inspect_log.json",
            _json(
                {
                    "version": 2,
                    "status": "success",
                    "eval": {"task": "x"},
                    "samples": [
                        {
                            "id": i,
                            "epoch": 1,
                            "input": long,
                            "target": GOLD[i],
                            "output": {"model": "m", "completion": t},
                        }
                        for i, t in ONE.items()
                    ],
                }
            ),
            True,
        ),
        ("list_lines.jsonl", _lines(table), False),
        ("single_keys.jsonl", _lines({i: t} for i, t in ONE.items()), False),
        ("by_id.json", _json(ONE), True),
        ("by_id_list_of_one.json", _json({i: [t] for i, t in ONE.items()}), True),
        ("pycocoevalcap_res.json", _json({i: [{"caption": t}] for i, t in ONE.items()}), True),
        (
            "pycocoevalcap_ids.json",
            _json({i: [{"image_id": i, "id": n, "caption": t}] for n, (i, t) in enumerate(ONE.items())}),
            True,
        ),
        ("by_id_record.json", _json({i: {"caption": t} for i, t in ONE.items()}), False),
        ("by_id_captions.json", _json({i: {"captions": [t]} for i, t in ONE.items()}), False),
        ("by_id_pred_gt.json", _json({i: {"pred": t, "gt": GOLD[i]} for i, t in ONE.items()}), True),
        ("by_id_same_id.json", _json({i: {"video_id": i, "text": t} for i, t in ONE.items()}), False),
        (
            "orient_index.json",
            _json({str(n): {"video_id": i, "caption": t} for n, (i, t) in enumerate(ONE.items())}),
            True,
        ),
        (
            "orient_columns.json",
            _json(
                {
                    "video_id": {str(n): i for n, i in enumerate(ONE)},
                    "caption": {str(n): t for n, t in enumerate(ONE.values())},
                }
            ),
            True,
        ),
        (
            "orient_split.json",
            _json({"columns": ["video_id", "caption"], "index": [0, 1, 2], "data": table}),
            True,
        ),
        ("orient_values.json", _json(table), True),
        (
            "orient_table.json",
            _json(
                {
                    "schema": {
                        "fields": [{"name": "index", "type": "integer"}],
                        "primaryKey": ["index"],
                        "pandas_version": "1.4.0",
                    },
                    "data": [{"index": n, **r} for n, r in enumerate(_records("video_id", "caption"))],
                }
            ),
            True,
        ),
        ("dict_of_lists.json", _json({"video_id": list(ONE), "caption": list(ONE.values())}), True),
        ("wandb.table.json", _json({"columns": ["id", "caption"], "data": table}), True),
        (
            "wandb_more.table.json",
            _json(
                {
                    "columns": ["step", "video", "prompt", "output"],
                    "ncols": 4,
                    "data": [[n, f"{i}.mp4", long, t] for n, (i, t) in enumerate(ONE.items())],
                }
            ),
            True,
        ),
        ("head_and_rows.json", _json([["video_id", "caption"], *table]), False),
        (
            "msrvtt.json",
            _json(
                {
                    "info": {},
                    "videos": [{"video_id": i, "category": 3, "url": "u"} for i in ONE],
                    "sentences": [
                        {"sen_id": n, "video_id": i, "caption": t} for n, (i, t) in enumerate(ONE.items())
                    ],
                }
            ),
            True,
        ),
        (
            "coco_video.json",
            _json(
                {
                    "images": [{"id": i, "file_name": f"{i}.jpg"} for i in ONE],
                    "annotations": [
                        {"id": n, "video_id": i, "caption": t} for n, (i, t) in enumerate(ONE.items())
                    ],
                }
            ),
            False,
        ),
        ("under_predictions.json", _json({"model": "m", "predictions": _records("id", "text")}), False),
        ("under_results_by_id.json", _json({"config": {"lr": 1}, "results": ONE}), False),
        ("under_data.json", _json({"data": _records("sample_id", "answer", question=long)}), False),
        ("model_over_videos.json", _json({"my-model-7b": ONE}), False),
        ("hyps_and_refs.json", _json({"hyps": ONE, "refs": {i: [t] for i, t in GOLD.items()}}), False),
        (
            "nested_prediction.json",
            _json([{"video": i, "prediction": {"caption": t, "score": 0.3}} for i, t in ONE.items()]),
            False,
        ),
        (
            "pandas_index.csv",
            _table([["", "video_id", "caption"], *[[n, *r] for n, r in enumerate(table)]]),
            True,
        ),
        (
            "unnamed.csv",
            _table([["Unnamed: 0", "video", "pred"], *[[n, *r] for n, r in enumerate(table)]]),
            True,
        ),
        ("heads.csv", _table([["Video ID", "Caption"], *table]), False),
        (
            "semicolon.csv",
            _table([["file", "description"], *[[f"{i}.mp4", t] for i, t in table]], ";"),
            False,
        ),
        ("tabs.tsv", _table([["image", "comment"], *[[f"{i}.jpg", t] for i, t in table]], "\t"), False),
        ("no_head.tsv", _table(table, "\t"), False),
        ("no_head.csv", _table(table), False),
        (
            "prediction_and_caption.csv",
            _table([["video_id", "caption", "prediction"], *[[i, GOLD[i], t] for i, t in table]]),
            False,
        ),
        (
            "vlmevalkit.xlsx",
            workbook(
                [
                    ["index", "video", "question", "answer", "prediction"],
                    *[[n, i, long, GOLD[i], t] for n, (i, t) in enumerate(table)],
                ]
            ),
            True,
        ),
        (
            "vlmevalkit.tsv",
            _table(
                [
                    ["index", "video", "question", "answer", "prediction"],
                    *[[n, i, long, GOLD[i], t] for n, (i, t) in enumerate(table)],
                ],
                "\t",
            ),
            True,
        ),
        ("plain.xlsx", workbook([["Video", "Caption"], *table]), False),
        ("flickr_one.txt", "".join(f"{i}.jpg#0\t{t}\n" for i, t in table).encode(), True),
        ("colon.txt", "".join(f"{i}: {t}\n" for i, t in table).encode(), False),
        ("blank.txt", "".join(f"{i} {t}\n" for i, t in table).encode(), False),
        ("bar.txt", ("image_name| comment\n" + "".join(f"{i}.jpg| {t}\n" for i, t in table)).encode(), True),
        ("bom.json", b"\xef\xbb\xbf" + _json(_records("video_id", "caption")), False),
        ("bom.csv", b"\xef\xbb\xbf" + _table([["video_id", "caption"], *table]), True),
        ("crlf.csv", _table([["vid", "sentence"], *table]).replace(b"\n", b"\r\n"), False),
        ("packed.jsonl.gz", gzip.compress(_lines(_records("video_id", "caption")), mtime=0), False),
        ("packed.csv.xz", lzma.compress(_table([["clip_id", "text"], *table])), False),
    ]
    return [Shape(name, data, single(), documented=known) for name, data, known in shapes]


def timed() -> list[Shape]:
    rows = [(i, s, e, t) for i, events in EVENTS.items() for s, e, t in events]
    shapes: list[tuple[Any, ...]] = [
        (
            "vid_segment.jsonl",
            _lines({"vid": i, "segment": [s, e], "caption": t} for i, s, e, t in rows),
            False,
        ),
        (
            "events.json",
            _json(
                [
                    {
                        "video": f"{i}.mp4",
                        "events": [{"start": s, "end": e, "description": t} for s, e, t in v],
                    }
                    for i, v in EVENTS.items()
                ]
            ),
            False,
        ),
        (
            "parallel.json",
            _json(
                {
                    i: {
                        "duration": LENGTH[i],
                        "timestamps": [[s, e] for s, e, _ in v],
                        "captions": [t for _, _, t in v],
                    }
                    for i, v in EVENTS.items()
                }
            ),
            True,
        ),
        ("triples.json", _json({i: [list(event) for event in v] for i, v in EVENTS.items()}), False),
        (
            "youcook2.json",
            _json(
                {
                    "database": {
                        i: {
                            "annotations": [
                                {"id": n, "segment": [s, e], "sentence": t} for n, (s, e, t) in enumerate(v)
                            ]
                        }
                        for i, v in EVENTS.items()
                    }
                }
            ),
            True,
        ),
        (
            "clock.csv",
            _table(
                [["video", "start", "end", "text"], *[[i, _clock(s), _clock(e), t] for i, s, e, t in rows]]
            ),
            False,
        ),
        (
            "start_time.csv",
            _table(
                [
                    ["video_id", "start_time", "end_time", "caption"],
                    *[[i, _long_clock(s), _long_clock(e), t] for i, s, e, t in rows],
                ]
            ),
            False,
        ),
        (
            "begin_end.tsv",
            _table(
                [["Clip", "Begin", "End", "Sentence"], *[[i, f"{s}s", f"{e}s", t] for i, s, e, t in rows]],
                "\t",
            ),
            False,
        ),
        (
            "millis.json",
            _json(
                [{"video_id": i, "start_ms": s * 1000, "end_ms": e * 1000, "text": t} for i, s, e, t in rows]
            ),
            False,
        ),
        (
            "frames.json",
            _json(
                [
                    {"video_id": i, "start_frame": s * 20, "end_frame": e * 20, "fps": 20, "text": t}
                    for i, s, e, t in rows
                ]
            ),
            False,
        ),
        (
            "span_text.json",
            _json(
                [{"video_id": i, "time": f"{_clock(s)} - {_clock(e)}", "caption": t} for i, s, e, t in rows]
            ),
            False,
        ),
        (
            "span_object.json",
            _json(
                [
                    {"id": i, "captions": [{"segment": {"start": s, "end": e}, "text": t} for s, e, t in v]}
                    for i, v in EVENTS.items()
                ]
            ),
            False,
        ),
        (
            "hf_sequence.jsonl",
            _lines(
                {
                    "video_id": i,
                    "segments": {
                        "start": [s for s, _, _ in v],
                        "end": [e for _, e, _ in v],
                        "text": [t for _, _, t in v],
                    },
                }
                for i, v in EVENTS.items()
            ),
            True,
        ),
        (
            "flat_lists.jsonl",
            _lines(
                {
                    "video_id": i,
                    "start": [s for s, _, _ in v],
                    "end": [e for _, e, _ in v],
                    "caption": [t for _, _, t in v],
                }
                for i, v in EVENTS.items()
            ),
            True,
        ),
        (
            "answers.json",
            _json(
                [
                    {"video": i, "response": "\n".join(f"[{_clock(s)} - {_clock(e)}] {t}" for s, e, t in v)}
                    for i, v in EVENTS.items()
                ]
            ),
            True,
        ),
        (
            "answers_beside_gt.jsonl",
            _lines(
                {
                    "video": i,
                    "question": "Describe.",
                    "answer": "Nothing at all.",
                    "prediction": "\n".join(f"From {s} to {e} seconds, {t}" for s, e, t in v),
                }
                for i, v in EVENTS.items()
            ),
            True,
        ),
        (
            "answer_in_fence.json",
            _json(
                {
                    i: "Here:\n```json\n"
                    + json.dumps([{"start": s, "end": e, "caption": t} for s, e, t in v])
                    + "\n```"
                    for i, v in EVENTS.items()
                }
            ),
            True,
        ),
        (
            "pred_list.json",
            _json(
                [
                    {
                        "qid": i,
                        "pred": [{"timestamp": [s, e], "caption": t} for s, e, t in v],
                        "gt": [{"timestamp": [0, 1], "caption": "No."}],
                    }
                    for i, v in EVENTS.items()
                ]
            ),
            False,
        ),
        (
            "by_time.json",
            _json({i: {f"{_clock(s)} - {_clock(e)}": t for s, e, t in v} for i, v in EVENTS.items()}),
            False,
        ),
        ("timed.xlsx", workbook([["video", "start", "end", "caption"], *[list(r) for r in rows]]), False),
        ("window.jsonl", _lines({"name": i, "window": [s, e], "sentence": t} for i, s, e, t in rows), False),
    ]
    listed = [Shape(name, data, dense(), documented=known) for name, data, known in shapes]
    whisper = {"text": " ".join(t for _, _, t in EVENTS["a1"]), "language": "en", "segments": [
        {"id": n, "seek": 0, "start": s, "end": e, "text": t, "tokens": [1, 2], "avg_logprob": -0.2}
        for n, (s, e, t) in enumerate(EVENTS["a1"])]}  # fmt: skip
    transcript = [{"text": t, "start": s, "duration": e - s} for s, e, t in EVENTS["a1"]]
    one = [dense()[0]]
    listed.append(Shape("one_line.jsonl", _lines(_records("video_id", "caption")[:1]), single()[:1]))
    listed.append(Shape("a1.json", _json(whisper), one, documented=True))
    listed.append(Shape("a1.json.gz", gzip.compress(_json(transcript), mtime=0), one, documented=True))
    return listed


def stories() -> list[Shape]:
    texts = {i: " ".join(v) for i, v in TALE.items()}
    columns = [[i, *v] for i, v in TALE.items()]
    shapes: list[tuple[Any, ...]] = [
        (
            "story_images.json",
            _json([{"story_id": i, "story": t, "images": PHOTOS[i]} for i, t in texts.items()]),
            told(),
            None,
            False,
        ),
        (
            "generated_story.jsonl",
            _lines({"album_id": i, "generated_story": t} for i, t in texts.items()),
            told(),
            None,
            False,
        ),
        (
            "sentences_images.json",
            _json([{"id": i, "sentences": v, "image_ids": PHOTOS[i]} for i, v in TALE.items()]),
            story(),
            None,
            False,
        ),
        ("five_sentences.json", _json(TALE), story(), "story", False),
        (
            "vist_output.json",
            _json(
                {
                    "output_stories": [
                        {"album_id": i, "photo_sequence": PHOTOS[i], "story_text_normalized": t}
                        for i, t in texts.items()
                    ]
                }
            ),
            told(),
            None,
            True,
        ),
        (
            "sent_columns.csv",
            _table([["story_id", *[f"sent{k}" for k in range(1, 6)]], *columns]),
            story(),
            None,
            False,
        ),
        (
            "sentence_columns.tsv",
            _table([["id", *[f"sentence_{k}" for k in range(1, 6)]], *columns], "\t"),
            story(),
            None,
            True,
        ),
        (
            "s_columns.json",
            _json([{"album_id": i, **{f"s{k}": t for k, t in enumerate(v, 1)}} for i, v in TALE.items()]),
            story(),
            None,
            False,
        ),
        (
            "numbered_rows.csv",
            _table(
                [
                    ["story_id", "sentence_no", "text"],
                    *[[i, k, t] for i, v in TALE.items() for k, t in enumerate(v)],
                ]
            ),
            story(),
            None,
            False,
        ),
        (
            "story_list.json",
            _json([{"story_id": i, "story": v} for i, v in TALE.items()]),
            story(),
            None,
            False,
        ),
    ]
    return [Shape(n, data, out, kind=kind, documented=known) for n, data, out, kind, known in shapes]


def references() -> list[Shape]:
    both = {i: [ONE[i], GOLD[i]] for i in ONE}
    shapes: list[tuple[Any, ...]] = [
        ("refs_lists.json", _json(both), True),
        ("refs_pycoco.json", _json({i: [{"caption": t} for t in v] for i, v in both.items()}), True),
        (
            "refs_rows.csv",
            _table([["video_id", "caption"], *[[i, t] for i, v in both.items() for t in v]]),
            True,
        ),
        (
            "refs_flickr.txt",
            "".join(f"{i}.jpg#{k}\t{t}\n" for i, v in both.items() for k, t in enumerate(v)).encode(),
            True,
        ),
        (
            "refs_columns.csv",
            _table([["file_name", "caption_1", "caption_2"], *[[f"{i}.wav", *v] for i, v in both.items()]]),
            True,
        ),
        (
            "refs_field.jsonl",
            _lines({"id": i, "references": v, "pred": "no"} for i, v in both.items()),
            False,
        ),
        ("refs_vatex.json", _json([{"videoID": i, "enCap": v} for i, v in both.items()]), True),
        ("refs_vatex_zh.json", _json([{"videoID": i, "captions": v} for i, v in both.items()]), False),
    ]
    return [Shape(name, data, alternatives(), "references", documented=known) for name, data, known in shapes]


def questions() -> list[Shape]:
    """What cannot be known is an error that names the way out."""
    return [
        Shape(
            "two_texts.json",
            _json(_records("id", "text", description=GOLD.get)),
            "--columns text=description",
        ),
        Shape(
            "only_target.json",
            _json([{"id": i, "target": t} for i, t in ONE.items()]),
            "--columns text=target",
        ),
        Shape("five.json", _json(TALE), "--lists story"),
        Shape("two_models.json", _json({"m1": ONE, "m2": GOLD}), "--columns records=m2"),
        Shape("no_id.json", _json([{"caption": t} for t in ONE.values()]), "--columns video="),
        Shape(
            "reversed.jsonl",
            _lines({"vid": "a", "segment": [k + 5, k], "caption": "x"} for k in (1, 2)),
            "ends before it starts",
        ),
        Shape(
            "frames_alone.json",
            _json([{"vid": "a", "start_frame": 1, "end_frame": 30, "text": "A dog."}]),
            "fps",
        ),
    ]


def shapes() -> list[Shape]:
    from stranger_shapes import strangers

    return [*captions(), *timed(), *stories(), *references(), *questions(), *strangers()]


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for shape in shapes():
        (folder / shape.name).write_bytes(shape.data)
    index = {s.name: {"expected": s.expected, "role": s.role, "kind": s.kind} for s in shapes()}
    (folder / "INDEX.json").write_text(json.dumps(index, indent=1), encoding="utf-8")
    sys.stdout.write(f"{len(index)} files, {sum(s.read for s in shapes())} of them to be read\n")
