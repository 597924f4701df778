"""Exports of annotation tools as plain rows: Label Studio (tasks with annotations), Potato (a line per item
and rater), and Prolific's list of participants.

>>> rated = {"from_name": "quality", "type": "rating", "value": {"rating": 4}}
>>> done = {"completed_by": 7, "lead_time": 9.5, "result": [rated]}
>>> unfolded([{"id": 1, "data": {"video": "v1", "system": "a"}, "annotations": [done]}])
[{'video': 'v1', 'system': 'a', 'annotator': 7, 'lead time': 9.5, 'quality': 4}]
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

#: where the value of a Label Studio result stands
_VALUES = ("rating", "number", "choices", "selected", "text", "taxonomy")
#: participants whose work Prolific does not count
_GONE = ("RETURNED", "TIMED-OUT", "TIMED OUT", "REJECTED", "SCREENED OUT")


def unfolded(rows: Sequence[Mapping[str, Any]], folder: str = "") -> list[dict[str, Any]]:
    """The rows of a tool's export with a column per question; other rows as they are."""
    first = rows[0] if rows else {}
    if isinstance(first.get("annotations", first.get("completions")), list) and (
        "data" in first or "result" in first
    ):
        return [line for row in rows for line in _label_studio(row)]
    if any("label_annotations" in row for row in rows):
        return [_potato(row, folder) for row in rows]
    return [dict(row) for row in rows]


def _label_studio(task: Mapping[str, Any]) -> list[dict[str, Any]]:
    data = dict(task.get("data") or {})
    out = []
    for annotation in task.get("annotations") or task.get("completions") or ():
        if annotation.get("was_cancelled") or annotation.get("ground_truth") or not annotation.get("result"):
            continue
        line = {**data, "annotator": _person(annotation.get("completed_by"))}
        if not data.keys() - {"text", "caption"}:
            line["task"] = task.get("id")
        if annotation.get("lead_time") is not None:
            line["lead time"] = annotation["lead_time"]
        if annotation.get("created_at"):
            line["created at"] = annotation["created_at"]
        for result in annotation["result"]:
            value = result.get("value") or {}
            found = next((value[key] for key in _VALUES if key in value), None)
            if isinstance(found, list):
                found = found[0] if len(found) == 1 else None
            name = str(result.get("from_name", "score"))
            if found is not None:
                line[name if name not in data else f"answer.{name}"] = found
        out.append(line)
    return out


def _person(who: Any) -> Any:
    if isinstance(who, Mapping):
        return who.get("email") or who.get("username") or who.get("id")
    return who


def _potato(row: Mapping[str, Any], folder: str) -> dict[str, Any]:
    rater = next((row[key] for key in ("user_id", "user", "annotator", "username") if row.get(key)), folder)
    item = next((row[key] for key in ("instance_id", "id", "item_id") if row.get(key) is not None), None)
    known = {"user_id", "user", "annotator", "username", "instance_id", "id", "item_id"}
    rest = {
        key: value
        for key, value in row.items()
        if key not in known
        and not key.endswith("_annotations")
        and key not in ("displayed_text", "behavioral_data")
    }
    line: dict[str, Any] = {"annotator": rater, "item": item, **rest}
    for question, answers in (row.get("label_annotations") or {}).items():
        line[str(question)] = _answer(answers)
    timing = row.get("behavioral_data") or {}
    if isinstance(timing, Mapping) and isinstance(timing.get("time_spent"), int | float):
        line["time spent"] = timing["time_spent"]
    return line


def _answer(answers: Any) -> Any:
    """The option that was ticked: `{"scale_4": "4"}` is 4, `{"left": true}` is left."""
    if not isinstance(answers, Mapping):
        return answers
    ticked = {
        key: value for key, value in answers.items() if value not in (None, "", False, "0", "false", "off")
    }
    if len(ticked) != 1:
        return None
    ((label, value),) = ticked.items()
    if re.fullmatch(r"-?\d+(\.\d+)?", str(value)) and value is not True:
        inside = re.search(r"\d+$", str(label))
        return inside[0] if inside and str(value) == "1" and inside[0] != "1" else value
    inside = re.search(r"\d+$", str(label))
    if value is True or str(value).lower() in ("true", "on"):
        return inside[0] if inside and re.match(r"scale|likert|option|rating", str(label), re.I) else label
    return value


def prolific_status(heads: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> dict[str, str] | None:
    """The state of each participant of a Prolific export; None where the table is something else."""
    named = {re.sub(r"[\s_\-]+", "", head.lower()): head for head in heads}
    if (
        not {"participantid", "status"} <= named.keys()
        or not {"submissionid", "timetaken", "sessionid"} & named.keys()
    ):
        return None
    return {str(row[named["participantid"]]): str(row[named["status"]] or "").upper() for row in rows}


def gone(status: str) -> bool:
    """Whether Prolific does not count the work of a participant in this state."""
    return status.replace("_", " ") in _GONE or status in _GONE
