"""Names of fields in files of other programs: one table of names for every container.

Case, blanks, dashes, underscores and a plural `s` do not matter. Each name has a tier: a field of a lower
tier fits better, and two fields of one tier fit equally well, which is a question to the user.

>>> tier("Video ID", IDS), tier("videoID", IDS), tier("sample_id", IDS), tier("caption", IDS)
(1, 1, 3, None)
>>> text_tier("model_output", "candidates"), text_tier("target", "candidates")
(1, None)
"""

import re
from functools import cache
from typing import Literal

Role = Literal["candidates", "references"]
_SIGNS = re.compile(r"[\s_\-.:/()\[\]]+")
#: a notation of times in the head of a column says nothing of its unit: `Begin Time - hh:mm:ss.ms`
_NOTATION = re.compile(r"h*:?mm?:ss?(?:[.,:](?:f+|ms|s+))?", re.IGNORECASE)


@cache
def plain(name: str) -> str:
    """A name without case, signs and plural.

    >>> plain("Start Time"), plain("captions"), plain("fps"), plain("filtered_resps")
    ('starttime', 'caption', 'fps', 'filteredresp')
    """
    bare = _bare(name)
    return bare[:-1] if len(bare) > 3 and bare.endswith("s") and not bare.endswith("ss") else bare


@cache
def _leaf(name: str) -> str:
    """The last part of `doc.video_id`, plain."""
    return plain(_NOTATION.sub("", name).rpartition(".")[2])


def _bare(name: str) -> str:
    return _SIGNS.sub("", _NOTATION.sub("", name.lower().replace("\ufeff", "")))


def _names(*tiers: str) -> dict[str, int]:
    return {plain(name): number for number, names in enumerate(tiers, 1) for name in reversed(names.split())}


def _set(names: str) -> frozenset[str]:
    return frozenset(map(plain, names.split()))


#: the item that a caption describes
IDS = _names(
    "video_id vid video_uid videouid image_id img_id imageid photo_id clip_id story_id album_id document_id"
    " item_id media_id movie_id youtube_id ytid yt_id video_ids gif_id shot_id scene_id",
    "video videos clip doc id name key file filename file_name path video_path video_file image image_path"
    " image_file image_name img img_path video_name vid_name clip_name gif photo album movie document item"
    " media uid uuid filepath file_path video_url image_url url source_id vidname videopath data_id",
    "question_id sample_id doc_id qid example_id instance_id task_id custom_id record_id query_id",
    "idx index number no row",
)
#: an id of these names says which file it is, with its folder and ending
MEDIA = re.compile(
    r"\.(?:mp4|avi|mkv|webm|mov|m4v|mpe?g|flv|wmv|gif|jpe?g|png|bmp|webp|tiff?|wav|mp3|flac|m4a|ts|npy|npz|pt"
    r"|pkl|eaf|json|txt|srt|vtt|lmdb)$",
    re.IGNORECASE,
)

#: texts that only a model writes
OUTPUTS = _names(
    "pred prediction predicted predicted_caption pred_caption prediction_caption caption_pred"
    " caption_prediction predict predict_caption generated generated_text generated_caption generated_story"
    " generated_captions generation gen gen_caption gen_text gen_story output outputs model_output"
    " model_outputs model_answer model_response model_prediction model_pred model_caption model_text"
    " response responses filtered_resps hypothesis hypotheses hyp hypo completion result candidate"
    " candidate_caption pred_answer answer_pred pred_text pred_response pred_story predicted_text"
    " predicted_answer predicted_sentence predicted_story pred_sentence generated_sentence"
    " generated_description generated_answer generated_response llm_output llm_response vlm_output"
    " vlm_response machine_caption system_output output_text decoded decoded_text sysout inference",
    "resps raw_output raw_response raw_prediction raw_pred raw_text raw_answer",
)
#: texts that a model or a person may have written
TEXTS = _names(
    "caption text sentence description desc story narration summary paragraph encap en_caption"
    " story_text story_text_normalized sent cap dense_caption video_caption image_caption"
    " caption_text text_caption full_caption detailed_caption long_caption short_caption comment"
    " content utterance transcript narrative recap captions_en english_caption textual_description"
    " video_description clip_caption",
    "answer a_text reply message body",
    "event action activity tag title chapter step instruction_text tokenized_caption label_text",
)
#: texts that only references are
REFERENCES = _names(
    "target targets gt gts ground_truth groundtruth gt_caption gt_captions gt_text gt_answer gt_story"
    " label labels reference references ref refs reference_caption reference_text reference_answer"
    " ref_caption gold gold_caption gold_text solution expected expected_output ideal human_caption"
    " true_caption correct_answer answer_gt caption_gt truth true annotated_caption human_reference",
    "a answer",
)
#: texts that are no caption
NEVER = _set(
    "question prompt q instruction input query system system_prompt user conversations messages"
    " model model_id model_name answer_id metadata meta category split language lang tokens"
    " explanation reasoning thinking rationale license licence date time_stamp_created created"
    " source dataset type subset annotator worker rater author url video_url image_url coco_url"
    " flickr_url task prompt_text task_name option options choices candidates_list history context"
    " hint word words phrase pos"
)
START = _names(
    "start begin start_time starttime t_start tstart start_sec start_secs start_second start_seconds start_s"
    " begin_time begin_sec begin_s onset start_timestamp start_ts time_start ts_start t0 from time_begin"
    " startsec seg_start segment_start clip_start event_start"
    " captions_starts caption_starts sentence_start sentences_starts",
)
END = _names(
    "end stop end_time endtime t_end tend end_sec end_secs end_second end_seconds end_s stop_time"
    " offset end_timestamp stop_timestamp end_ts time_end ts_end t1 to finish time_stop endsec stop_sec"
    " seg_end segment_end clip_end event_end"
    " captions_ends caption_ends sentence_end sentences_ends",
)
SPAN = _names(
    "segment timestamp timestamps time times window span interval range time_range time_span time_interval"
    " time_segment boundary boundaries start_end time_window temporal_segment timestamps_sec times_sec",
)
_MILLIS = re.compile(r"(?:ms|msecs?|millis|milliseconds?)$")
_FRAMES = re.compile(r"(?:frames?|frameidx|frameindex|frameno|framenumber|frameid)$|^frame(?!rate|spersec)")
_EDGE = re.compile(
    r"^(?:t|ts)?(?:start|begin|end|stop|finish|frame|time|segment|duration|from|to|t0|t1|onset|offset)"
)
#: what may stand beside the word of a start or an end in the name of a time
_BESIDE_EDGE = (
    r"(?:timestamps?|timecodes?|times?|tc|ts|t|seconds?|secs?|s|segment|seg|clip|event|captions?|sentences?|shot"
    r"|scene|video|vid|action|point|mark|at|milliseconds?|millis|msecs?|ms|frames?)"
)
_START = r"(?:begin|start|onset)(?:s|ed|n?ing)?|from|in|t0"
_END = r"(?:end|stop|finish|offset)(?:s|es|p?ed|p?ing)?|to|until|till|out|t1"
_SIDES = [re.compile(rf"({_BESIDE_EDGE}{{0,3}})(?:{side})({_BESIDE_EDGE}{{0,3}})") for side in (_START, _END)]
DURATION = _names(
    "duration video_duration length video_length duration_sec duration_s dur total_duration duration_seconds"
    " clip_duration video_len",
)
FPS = _names("fps frame_rate framerate frames_per_second")
IMAGES = _names(
    "image_ids photo_sequence images photos image_list imgs photo_ids pictures image_paths image_files"
    " photo_list img_ids flickr_ids image_urls photo_flickr_ids frames_list",
)
ORDER = _names(
    "sentence_index sent_index sentence_id sentence_no sentence_number order position step_id"
    " sentence_order photo_order worker_arranged_photo_order sent_no sent_idx sentence_idx"
)
STORY = _set(
    "story generated_story gen_story pred_story predicted_story story_text story_text_normalized gt_story"
)
#: keys under which records stand
WRAPPERS = _set(
    "annotations sentences results result database events predictions preds data captions items"
    " records examples samples outputs answers rows logs log responses entries docs documents"
    " segments list output content val test train validation hyps hypotheses refs references gts gt"
    " targets res candidates generated generations stories output_stories chapters clips scenes"
    " steps captions_list questions instances qa"
)
#: keys beside them that hold no captions
BESIDE = _set(
    "images videos info licenses version external_data config type metadata meta albums categories"
    " schema index model model_name split name dataset date args settings results_summary metrics"
    " scores configs versions n-shot hyperparameters taxonomy stats summary eval plan status"
)
#: keys of settings and outcomes of a run: a word under them is no caption
SETTINGS = (
    NEVER
    | BESIDE
    | _set(
        "status state success error detail msg reason code count total size len time created modified"
        " dataset_name dataset_version run run_name run_id job job_id seed host commit revision framework"
        " library device checkpoint ckpt backend provider engine endpoint format kind encoding license_name"
        " timestamp elapsed finished started author_name email owner username phase stage"
    )
)
#: lists of these names are parts of one text or of one request, not captions
INNER = _set("messages conversations words tokens choices arguments history tools doc resps")
NUMBERED = re.compile(r"^(.*?)[\s_\-.]*(\d{1,2})$")
SENTENCE_COLUMNS = frozenset(("sent", "sentence", "", "s", "line", "storysent", "storysentence", "step"))


def is_part(name: str) -> bool:
    """May records stand under this key?"""
    key = plain(name)
    return key in WRAPPERS or (len(key) > 1 and (key in OUTPUTS or key in REFERENCES or key in TEXTS))


def unit(name: str) -> str:
    """`ms` or `frame` where the name of a time says so, otherwise nothing.

    >>> unit("start_ms"), unit("end_frame"), unit("start"), unit("items")
    ('ms', 'frame', '', '')
    """
    bare = _bare(_NOTATION.sub("", name).rpartition(".")[2])
    if not _EDGE.match(bare):
        return ""
    return "ms" if _MILLIS.search(bare) else "frame" if _FRAMES.search(bare) else ""


def around(name: str, side: int) -> tuple[str, str] | None:
    """What stands around the word of a start (0) or an end (1); None where the name holds none."""
    bare = re.sub(r"[\W_]+", "", name.rpartition(".")[2].lower())
    found = _SIDES[side].fullmatch(bare) if len(bare) < 40 else None
    return (found[1], found[2]) if found else None


def sided(name: str) -> bool:
    """Does the name say that it is a start or an end? `in` and `out` alone may count tokens.

    >>> [sided(name) for name in ("t_begin", "finishTime", "time_start_sec", "in", "end_char", "begin_idx")]
    [True, True, True, False, False, False]
    """
    return plain(name) not in ("in", "out") and any(around(name, side) is not None for side in (0, 1))


def tier(name: str, table: dict[str, int]) -> int | None:
    return table.get(_leaf(name))


def text_tier(name: str, role: Role | None) -> int | None:
    """How well a field fits as the text of this role, by its name; None where it cannot be."""
    key = _leaf(name)
    if key not in _TEXT_NAMES and len(key) > 3:
        key = key.rstrip("0123456789")  # `ref1`, `caption_2`
    if role == "references":
        for base, table in ((0, REFERENCES), (10, TEXTS), (20, OUTPUTS)):
            if key in table:
                return base + table[key]
        return None
    for base, table in ((0, OUTPUTS), (10, TEXTS)):
        if key in table:
            return base + table[key]
    return 20 + REFERENCES[key] if role is None and key in REFERENCES else None


_TEXT_NAMES = OUTPUTS.keys() | TEXTS.keys() | REFERENCES.keys()


def is_text_name(name: str) -> bool:
    """Whether a field of this name may hold a text, whoever wrote it."""
    return text_tier(name, None) is not None


def is_reference_name(name: str) -> bool:
    key = _leaf(name)
    return key in REFERENCES and key not in TEXTS


def known(name: str) -> bool:
    """Is this the name of a field, as opposed to an id?"""
    key = plain(name)
    if len(key) < 2:  # `a` beside `pred` is a field; alone it is as good an id as any
        return False
    return any(
        key in table
        for table in (IDS, OUTPUTS, TEXTS, REFERENCES, NEVER, START, END, SPAN, DURATION, FPS, IMAGES, ORDER)
    ) or bool(unit(name))
