"""Controls that do not give themselves away: every byte a browser gets, and a classifier that sees all but
pixels and words.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import human_kit
import msgspec
import numpy as np
import pytest
from human_kit import Folder, RaterProgress, Store, create_app
from page_kit import LocalClient

from storymeter.human.campaign.design import Slot
from storymeter.human.server.context import Ids
from storymeter.human.server.items import public


@pytest.fixture(scope="module")
def crawled(
    tmp_path_factory: pytest.TempPathFactory, clips: Path
) -> tuple[Folder, list[dict[str, Any]], list[bytes]]:
    """A whole HIT of 100, played as the page does: for every position what came for it, and everything that
    came at all.
    """
    folder = human_kit.campaign(tmp_path_factory.mktemp("leaks") / "study", clips, watch=0.0)
    link = folder.links()[0]
    received: list[bytes] = []
    rows: list[dict[str, Any]] = []
    with LocalClient(create_app(folder), follow_redirects=False) as client:

        def get(method: str, path: str, **more: Any) -> Any:
            response = client.request(method, path, **more)
            # the URL itself is visible too; media bodies are pixels, and compared apart
            body = b"" if response.headers.get("content-type", "").startswith("video") else response.content
            received.append(
                path.encode() + b"\n" + repr(sorted(response.headers.items())).encode() + b"\n" + body
            )
            return response

        page = get("GET", link).text
        get("POST", link + "/begin")
        page += get("GET", link + "/task").text
        for name in re.findall(r'(?:src|href)="(/static/[^"]+)"', page):
            get("GET", name)
        last = get("GET", link + "/item")
        shown = last.json()["next"]
        while "go" not in shown:
            media = get("GET", shown["media"][0], headers={"range": "bytes=0-"})
            events = [
                get("POST", link + "/event", json={"id": shown["id"], "at": shown["at"], "event": event})
                for event in ("play", "ended")
            ]
            rows.append(
                {
                    "item": shown,
                    "answer headers": dict(last.headers),
                    "media headers": dict(media.headers),
                    "media": media.content,
                    "event": [dict(e.headers) for e in events],
                }
            )
            last = get(
                "POST", link + "/answer", json={"id": shown["id"], "at": shown["at"], "answer": {"value": 50}}
            )
            shown = last.json()["next"]
        get("GET", link)
    return folder, rows, received


def test_no_byte_names_a_system_a_kind_a_pair_or_a_file(
    crawled: tuple[Folder, list[dict[str, Any]], list[bytes]],
) -> None:
    folder, rows, received = crawled
    assert len(rows) == 100
    everything = b"\n".join(received)
    pairs = {line.pair for line in folder.key.values() if isinstance(line, Slot) and line.pair}
    assert len(pairs) == 20
    secrets = [
        *human_kit.SYSTEMS,
        human_kit.HUMAN,
        "qclip",
        "h00001",
        folder.campaign.id,
        folder.secrets.admin_token,
        folder.secrets.signing_key,
        *pairs,
        str(folder.path),
        str(folder.clips),
    ]
    assert [secret for secret in secrets if secret.encode() in everything] == []
    for row in rows:  # kinds, in whatever answers differ from place to place
        # without its signed ids: letters at random, which spell a short word now and then
        visible = {**row["item"], "caption": "", "id": "", "media": ""}
        headers = [row["answer headers"], row["media headers"], row["event"]]
        text = (msgspec.json.encode(visible) + repr(headers).encode()).lower().replace(b"cache-control", b"")
        assert not re.search(rb"degrad|repeat|human|system|control|donor|pair|bad_ref|\bref\b", text)
        for link in (row["item"]["id"], *row["item"]["media"]):
            assert re.fullmatch(r"(/r/[\w-]{32}/m/)?[\w-]{12}", link), link
        assert row["item"].keys() == rows[0]["item"].keys()


def test_no_value_links_the_two_members_of_a_pair(
    crawled: tuple[Folder, list[dict[str, Any]], list[bytes]],
) -> None:
    """Whatever two places share, all share; apart from the clip itself (its bytes and their number) and the
    caption's words.
    """
    _, rows, _ = crawled
    places: dict[tuple[str, str], set[int]] = defaultdict(set)
    for number, row in enumerate(rows):
        for key, value in row["item"].items():
            if key != "caption":
                places[f"item.{key}", str(value)].add(number)
        for part in ("answer headers", "media headers"):
            for key, value in row[part].items():
                if key not in ("date", "content-length", "content-range"):
                    places[f"{part}.{key}", value].add(number)
    linking = {what: sorted(numbers) for what, numbers in places.items() if 1 < len(numbers) < len(rows) - 1}
    assert linking == {}
    # answer bodies may only differ in length by their caption and the digits of their number
    spare = {
        int(row["answer headers"]["content-length"])
        - len(msgspec.json.encode(row["item"]["caption"]))
        - len(str(row["item"]["n"]))
        - len(str(row["item"]["at"]))
        for row in rows[1:]
    }
    assert len(spare) == 1
    assert set(Counter(row["media"] for row in rows).values()) == {2}, (
        "every clip comes twice, controls or not"
    )
    ids = [row["item"]["id"] for row in rows] + [row["item"]["media"][0].rpartition("/")[2] for row in rows]
    assert len(set(ids)) == 200 and ids != sorted(ids)


def test_a_classifier_cannot_tell_controls_from_the_rest(tmp_path: Path, clips: Path) -> None:
    """200 HITs; all that is visible but pixels and words: numbers, ids, addresses, sizes, and when the same
    clip comes again.
    """
    sklearn = pytest.importorskip("sklearn")
    assert sklearn
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    folder = human_kit.campaign(tmp_path / "study", clips, hits=200, raters=1)
    ids, store = Ids(folder.secrets), Store(folder.database)
    size = {path.name: path.stat().st_size for path in folder.clips.iterdir()}
    features, labels, groups = [], [], []
    try:
        for number in range(1, 201):
            hit = f"h{number:05d}"
            places = store.places(hit)
            sizes = [size[place.media[0].path] for place in places]
            paths = [place.media[0].path for place in places]
            for position, place in enumerate(places):
                work = RaterProgress("working", number, number, number, hit, 0, 100)
                shown = public(folder, ids, f"/r/token{number}", work, position, place)
                again = [
                    abs(position - other)
                    for other, path in enumerate(paths)
                    if path == paths[position] and other != position
                ]
                visible = msgspec.json.encode({**shown, "caption": ""})
                name = (shown["id"] + shown["media"][0].rpartition("/")[2]).encode()
                features.append(
                    [
                        position,
                        position % 10,
                        position // 10,
                        sizes[position],
                        len(visible),
                        len(again),
                        min(again),
                        min(again) > 50,
                        *name,
                    ]
                )
                labels.append(folder.key[hit, position].kind != "system")
                groups.append(number)
    finally:
        store.close()
    x, y, g = np.array(features, float), np.array(labels), np.array(groups)
    assert y.mean() == pytest.approx(0.3)
    train = g <= 100
    for model in (
        make_pipeline(StandardScaler(), LogisticRegression(max_iter=500)),
        RandomForestClassifier(100, min_samples_leaf=20, random_state=0, n_jobs=2),
    ):
        auc = roc_auc_score(y[~train], model.fit(x[train], y[train]).predict_proba(x[~train])[:, 1])
        # under chance the standard error of the area is about .0063 (3,000 controls, 7,000 others)
        assert abs(auc - 0.5) < 0.025, auc
