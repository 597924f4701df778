"""Make the tiny clips and pictures of the example campaign: shapes that move, drawn with Pillow, encoded with
PyAV.

    python examples/make_clips.py            writes src/storymeter/human/example/{clips,pictures} and the
                                             caption files

Everything here is made by this script; nothing was filmed and nobody's picture is shown.
"""

from __future__ import annotations

import argparse
import json
import math
from fractions import Fraction
from pathlib import Path

import av
from PIL import Image, ImageDraw

HOME = Path(__file__).resolve().parents[1] / "src" / "storymeter" / "human" / "example"
WIDTH, HEIGHT, RATE, SECONDS = 192, 144, 12, 2
COLOURS = {
    "red": "#d64545",
    "blue": "#3b6fd1",
    "yellow": "#f0c02e",
    "green": "#3d9a56",
    "white": "#f4f4f2",
    "orange": "#e8833a",
    "purple": "#8057b8",
}
GROUNDS = {
    "meadow": ("#a9d4f0", "#86b96a"),
    "night": ("#1c2440", "#2d3350"),
    "beach": ("#bfe3f2", "#ead9a8"),
    "room": ("#efe6dc", "#b58e6b"),
}

# id, ground, shape, colour, motion, what a person says, and what three systems say (careful, vague, confused)
SCENES = [
    (
        "clip-01",
        "meadow",
        "ball",
        "red",
        "right",
        "a red ball rolls across a green meadow from left to right",
        "a red ball moves over the grass to the right",
        "a ball is moving outside",
        "a white star climbs up at night over the dark ground",
    ),
    (
        "clip-02",
        "beach",
        "ball",
        "blue",
        "bounce",
        "a blue ball bounces up and down on a sandy beach in the sun",
        "a blue ball jumps up and down on the sand",
        "something is on the beach",
        "a red ball rolls across a room to the left",
    ),
    (
        "clip-03",
        "night",
        "star",
        "white",
        "rise",
        "a white star rises slowly over the dark ground at night",
        "a white star goes up in the night sky",
        "a light in the dark",
        "a yellow box slides over a meadow",
    ),
    (
        "clip-04",
        "room",
        "box",
        "yellow",
        "left",
        "a yellow box slides over the floor of a room from right to left",
        "a yellow box moves to the left in a room",
        "a box is in a room",
        "two blue balls bounce on the beach in the sun",
    ),
    (
        "clip-05",
        "meadow",
        "kite",
        "purple",
        "circle",
        "a purple kite flies in circles above a green meadow by day",
        "a purple kite turns in circles over the grass",
        "a kite in the sky",
        "a green box falls down at night",
    ),
    (
        "clip-06",
        "room",
        "ball",
        "orange",
        "fall",
        "an orange ball drops from the ceiling to the floor of a room",
        "an orange ball falls down in a room",
        "a ball is falling",
        "a kite flies over the beach in wide circles",
    ),
    (
        "clip-07",
        "night",
        "box",
        "green",
        "grow",
        "a green box comes nearer and grows larger and larger in the night",
        "a green box gets bigger in the dark",
        "a box at night",
        "an orange ball rolls over the grass",
    ),
    (
        "clip-08",
        "beach",
        "kite",
        "red",
        "zigzag",
        "a red kite darts from side to side high above the yellow beach",
        "a red kite moves left and right over the sand",
        "a kite at the beach",
        "a white box grows larger in a room",
    ),
    (
        "clip-09",
        "meadow",
        "star",
        "yellow",
        "fall",
        "a yellow star falls out of the blue sky onto the meadow",
        "a yellow star falls down on the grass",
        "something falls outside",
        "a purple kite stands still at night over the sea",
    ),
    (
        "clip-10",
        "room",
        "ball",
        "white",
        "bounce",
        "a white ball hops up and down on the wooden floor of a room",
        "a white ball bounces on the floor",
        "a ball moves inside",
        "a red star rises over the beach by day",
    ),
    (
        "clip-11",
        "night",
        "kite",
        "orange",
        "right",
        "an orange kite drifts through the night from left to right",
        "an orange kite flies to the right at night",
        "a kite is flying",
        "a blue ball drops from the ceiling",
    ),
    (
        "clip-12",
        "beach",
        "box",
        "purple",
        "rise",
        "a purple box is lifted from the sandy beach up into the sky",
        "a purple box goes up from the sand",
        "a box outside by day",
        "a yellow star turns in circles in a room",
    ),
]


def place(motion: str, t: float) -> tuple[float, float, float]:
    """Where the shape is at time t in [0, 1]: x, y (0-1) and its size."""
    return {
        "right": (0.1 + 0.8 * t, 0.68, 1.0),
        "left": (0.9 - 0.8 * t, 0.7, 1.0),
        "rise": (0.5, 0.78 - 0.6 * t, 1.0),
        "fall": (0.5, 0.14 + 0.6 * t * t, 1.0),
        "bounce": (0.5, 0.72 - 0.45 * abs(math.sin(3 * math.pi * t)), 1.0),
        "grow": (0.5, 0.55, 0.5 + 1.8 * t),
        "circle": (0.5 + 0.25 * math.cos(2 * math.pi * t), 0.36 + 0.2 * math.sin(2 * math.pi * t), 1.0),
        "zigzag": (0.5 + 0.35 * math.sin(4 * math.pi * t), 0.35, 1.0),
    }[motion]


def frame(ground: str, shape: str, colour: str, motion: str, t: float, scale: int = 3) -> Image.Image:
    """One picture, drawn large and scaled down so that edges are smooth."""
    w, h = WIDTH * scale, HEIGHT * scale
    sky, floor = GROUNDS[ground]
    image = Image.new("RGB", (w, h), sky)
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, h * 0.62, w, h), fill=floor)
    x, y, size = place(motion, t)
    cx, cy, r = x * w, y * h, size * 0.11 * h
    fill, line = COLOURS[colour], "#22252b"
    if shape == "ball":
        draw.ellipse((cx - r, cy - r, cx + r, cy + r), fill=fill, outline=line, width=scale)
    elif shape == "box":
        draw.rectangle((cx - r, cy - r, cx + r, cy + r), fill=fill, outline=line, width=scale)
    else:
        points = 4 if shape == "kite" else 10
        radii = [1.3 * r, 0.9 * r] if shape == "kite" else [1.4 * r, 0.6 * r]
        draw.polygon(
            [
                (
                    cx + radii[k % 2] * math.sin(2 * math.pi * k / points),
                    cy - radii[k % 2] * math.cos(2 * math.pi * k / points),
                )
                for k in range(points)
            ],
            fill=fill,
            outline=line,
        )
    return image.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)


def encode(path: Path, images: list[Image.Image], rate: int = RATE) -> None:
    """VP9 in WebM: every current browser plays it, and nobody has to pay for it."""
    with av.open(str(path), "w", format="webm") as container:
        stream = container.add_stream(
            "libvpx-vp9",
            rate=Fraction(rate),
            options={"crf": "40", "b": "0", "deadline": "good", "cpu-used": "2"},
        )
        stream.width, stream.height, stream.pix_fmt = images[0].width, images[0].height, "yuv420p"
        for image in images:
            container.mux(stream.encode(av.VideoFrame.from_image(image)))
        container.mux(stream.encode())


def clip(path: Path, scene: tuple[str, ...], seconds: float = SECONDS) -> None:
    _, ground, shape, colour, motion = scene[:5]
    count = max(2, round(seconds * RATE))
    encode(path, [frame(ground, shape, colour, motion, k / (count - 1)) for k in range(count)])


def main() -> None:
    (HOME / "clips").mkdir(parents=True, exist_ok=True)
    for scene in SCENES:
        clip(HOME / "clips" / f"{scene[0]}.webm", scene)
        if int(scene[0][-2:]) <= 4:
            folder = HOME / "pictures" / f"story-{scene[0][-2:]}"
            folder.mkdir(parents=True, exist_ok=True)
            for number, t in enumerate((0.0, 0.35, 0.7), 1):
                frame(*scene[1:5], t).quantize(32).save(folder / f"{number}.png", optimize=True)
    for column, name in enumerate(("human", "careful", "vague", "confused"), 5):
        (HOME / f"{name}.json").write_text(
            json.dumps([{"image_id": s[0], "caption": s[column]} for s in SCENES], indent=1) + "\n"
        )
    questions = []
    for number, s in enumerate(SCENES):
        other = [c for c in COLOURS if c != s[3]][number % 6]
        options = sorted([s[3], other])
        questions.append(
            {
                "item": s[0],
                "question": f"Which colour had the {s[2]}?",
                "options": options,
                "answer": options.index(s[3]),
            }
        )
    (HOME / "questions.json").write_text(json.dumps(questions, indent=1) + "\n")


if __name__ == "__main__":
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()  # without arguments it writes; --help and anything else write nothing
    main()
