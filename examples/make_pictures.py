"""Draw the pictures of the example stories: one simple thing on a plain ground, 128 x 128 pixels each.

python examples/make_pictures.py
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

from PIL import Image, ImageDraw

SIZE = 128
HERE = Path(__file__).resolve().parent / "stories" / "images"

SKY, NIGHT, GRASS, SEA, SAND, SNOW, WALL, GREY, SOIL = (
    "#9fd0f5",
    "#1c2447",
    "#5f9e4a",
    "#2f6fb0",
    "#e6cf96",
    "#f4f8fb",
    "#efe3cf",
    "#8b8f98",
    "#6d4a2f",
)

Draw = ImageDraw.ImageDraw


def disc(d: Draw, x: float, y: float, r: float, colour: str) -> None:
    d.ellipse((x - r, y - r, x + r, y + r), fill=colour)


def star_points(x: float, y: float, outer: float, inner: float, tips: int) -> list[tuple[float, float]]:
    return [
        (
            x + (outer if k % 2 == 0 else inner) * math.sin(math.pi * k / tips),
            y - (outer if k % 2 == 0 else inner) * math.cos(math.pi * k / tips),
        )
        for k in range(2 * tips)
    ]


def ground(d: Draw, top: str, bottom: str, horizon: int = 88) -> None:
    d.rectangle((0, 0, SIZE, horizon), fill=top)
    d.rectangle((0, horizon, SIZE, SIZE), fill=bottom)


def sun(d: Draw) -> None:
    ground(d, "#f7c77d", SEA, 80)
    disc(d, 64, 78, 24, "#f2842b")
    d.rectangle((0, 81, SIZE, SIZE), fill=SEA)


def boat(d: Draw) -> None:
    ground(d, SKY, SEA, 84)
    d.polygon([(20, 84), (108, 84), (92, 106), (36, 106)], fill="white")
    d.line((62, 20, 62, 84), fill=SOIL, width=4)
    d.polygon([(66, 22), (104, 78), (66, 78)], fill="#fbf3df")


def fish(d: Draw) -> None:
    d.rectangle((0, 0, SIZE, SIZE), fill=SEA)
    d.ellipse((22, 42, 92, 86), fill="#f0a33a")
    d.polygon([(86, 64), (116, 42), (116, 86)], fill="#d9822b")
    disc(d, 40, 58, 4, "black")


def fire(d: Draw) -> None:
    ground(d, NIGHT, SAND)
    d.line((36, 108, 92, 94), fill=SOIL, width=9)
    d.line((36, 94, 92, 108), fill=SOIL, width=9)
    d.polygon([(64, 28), (92, 92), (36, 92)], fill="#ee6a1f")
    d.polygon([(64, 54), (78, 92), (50, 92)], fill="#f9d14b")


def moon(d: Draw) -> None:
    d.rectangle((0, 0, SIZE, SIZE), fill=NIGHT)
    disc(d, 66, 58, 32, "#f4efcf")
    disc(d, 80, 50, 28, NIGHT)


def pot(d: Draw) -> None:
    ground(d, WALL, SOIL, 104)
    d.polygon([(34, 52), (94, 52), (84, 106), (44, 106)], fill="#b9552f")
    d.rectangle((30, 42, 98, 54), fill="#a14724")


def rain(d: Draw) -> None:
    d.rectangle((0, 0, SIZE, SIZE), fill="#7c8795")
    for x, y in ((44, 36), (64, 28), (86, 36)):
        disc(d, x, y, 20, "#d4dae1")
    for k in range(8):
        d.line((22 + 12 * k, 66 + 8 * (k % 2), 16 + 12 * k, 100 + 8 * (k % 2)), fill="#3d6fb5", width=4)


def leaf(d: Draw) -> None:
    ground(d, SKY, SOIL, 100)
    d.line((64, 104, 64, 52), fill="#3c7a2e", width=5)
    d.ellipse((62, 34, 104, 60), fill="#4fa53a")


def flower(d: Draw) -> None:
    ground(d, SKY, GRASS, 104)
    d.line((64, 112, 64, 60), fill="#3c7a2e", width=5)
    for k in range(6):
        disc(d, 64 + 20 * math.cos(k * math.pi / 3), 44 + 20 * math.sin(k * math.pi / 3), 13, "#d8263c")
    disc(d, 64, 44, 11, "#f5cf3a")


def bee(d: Draw) -> None:
    d.rectangle((0, 0, SIZE, SIZE), fill=SKY)
    d.ellipse((50, 22, 78, 58), fill="#f2f6fa")
    d.ellipse((34, 48, 96, 88), fill="#f2b81e")
    for x in (50, 66, 82):
        d.rectangle((x - 4, 52, x + 3, 84), fill="#26221c")


def calendar(d: Draw) -> None:
    d.rectangle((0, 0, SIZE, SIZE), fill=WALL)
    d.rectangle((24, 24, 104, 108), fill="white", outline=GREY)
    d.rectangle((24, 24, 104, 42), fill="#c9302c")
    for k in range(20):
        x, y = 32 + 15 * (k % 5), 50 + 14 * (k // 5)
        d.rectangle((x, y, x + 9, y + 8), fill="#c9302c" if k == 17 else "#ccd2da")


def cake(d: Draw) -> None:
    ground(d, "#f9dbe4", GREY, 104)
    d.rectangle((28, 64, 100, 104), fill="#8a5a3b")
    d.rectangle((28, 58, 100, 72), fill="#fff4f7")
    for k in range(6):
        x = 36 + 11 * k
        d.rectangle((x - 2, 36, x + 2, 58), fill="#3f7fd1")
        disc(d, x, 32, 4, "#f6a623")


def gift(d: Draw) -> None:
    ground(d, WALL, SOIL, 106)
    d.rectangle((30, 46, 98, 106), fill="#2d8a68")
    d.rectangle((58, 46, 70, 106), fill="#f1c232")
    d.rectangle((30, 70, 98, 80), fill="#f1c232")
    d.ellipse((42, 28, 64, 48), outline="#f1c232", width=5)
    d.ellipse((64, 28, 86, 48), outline="#f1c232", width=5)


def kite(d: Draw) -> None:
    d.rectangle((0, 0, SIZE, SIZE), fill=SKY)
    d.polygon([(74, 14), (104, 46), (74, 88), (44, 46)], fill="#2458c7")
    d.line((74, 88, 60, 102, 70, 112, 54, 124), fill="#c9302c", width=3)


def hill(d: Draw) -> None:
    d.rectangle((0, 0, SIZE, SIZE), fill=SKY)
    d.ellipse((-20, 52, 148, 200), fill=GRASS)


def window(d: Draw) -> None:
    d.rectangle((0, 0, SIZE, SIZE), fill=WALL)
    d.rectangle((26, 18, 102, 110), fill=SKY, outline=SOIL, width=6)
    d.line((64, 18, 64, 110), fill=SOIL, width=5)
    d.line((26, 62, 102, 62), fill=SOIL, width=5)


def snow(d: Draw) -> None:
    ground(d, "#aebfd0", SNOW, 84)
    for k in range(24):
        disc(d, (k * 37) % SIZE, (k * 53) % 84, 3, "white")


def snowman(d: Draw) -> None:
    ground(d, "#9db8d3", SNOW, 96)
    for y, r in ((94, 26), (60, 19), (32, 14)):
        disc(d, 64, y, r, "white")
    d.polygon([(64, 32), (84, 36), (64, 38)], fill="#e8762d")
    disc(d, 58, 27, 2, "black")
    disc(d, 70, 27, 2, "black")


def cup(d: Draw) -> None:
    ground(d, WALL, SOIL, 102)
    d.ellipse((80, 54, 110, 88), outline="#c9302c", width=8)
    d.rectangle((34, 46, 88, 102), fill="#c9302c")
    d.ellipse((34, 38, 88, 54), fill="#5b3a26")


def house(d: Draw) -> None:
    ground(d, SKY, GRASS, 100)
    d.rectangle((32, 56, 96, 104), fill="#e8d3a2")
    d.polygon([(24, 58), (64, 22), (104, 58)], fill="#a83e2c")
    d.rectangle((56, 74, 72, 104), fill=SOIL)


def train(d: Draw) -> None:
    ground(d, SKY, GREY, 100)
    d.rectangle((8, 46, 120, 92), fill="#2a7f9e")
    for x in (16, 44, 72, 98):
        d.rectangle((x, 54, x + 18, 70), fill="#e9f4f8")
    for x in (26, 54, 82, 104):
        disc(d, x, 94, 8, "#22262c")


def bridge(d: Draw) -> None:
    ground(d, SKY, SEA, 90)
    d.rectangle((0, 62, SIZE, 72), fill="#a0352b")
    for x in (34, 94):
        d.rectangle((x - 4, 20, x + 4, 104), fill="#a0352b")
    d.arc((34, -8, 94, 60), 0, 180, fill="#a0352b", width=4)


def city(d: Draw) -> None:
    ground(d, "#c7d6e6", GREY, 112)
    for x, top in ((8, 60), (30, 30), (54, 46), (78, 18), (102, 52)):
        d.rectangle((x, top, x + 18, 112), fill="#4d5a6b")
        for y in range(top + 6, 104, 12):
            d.rectangle((x + 4, y, x + 7, y + 5), fill="#f7e08a")
            d.rectangle((x + 11, y, x + 14, y + 5), fill="#f7e08a")


def star(d: Draw) -> None:
    d.rectangle((0, 0, SIZE, SIZE), fill=NIGHT)
    d.polygon(star_points(64, 60, 40, 16, 5), fill="#f9e27a")


def basket(d: Draw) -> None:
    ground(d, WALL, SOIL, 106)
    d.arc((36, 18, 92, 100), 180, 360, fill="#8a5a2b", width=6)
    d.polygon([(26, 60), (102, 60), (90, 106), (38, 106)], fill="#b98245")
    for y in (70, 82, 94):
        d.line((30, y, 98, y), fill="#8a5a2b", width=3)


def apple(d: Draw) -> None:
    d.rectangle((0, 0, SIZE, SIZE), fill="#f2ead7")
    disc(d, 52, 72, 28, "#c8202f")
    disc(d, 76, 72, 28, "#c8202f")
    d.line((64, 48, 68, 26), fill=SOIL, width=5)
    d.ellipse((68, 24, 94, 40), fill="#4fa53a")


def dog(d: Draw) -> None:
    ground(d, SKY, GRASS, 100)
    d.rectangle((36, 58, 92, 84), fill="#8a5a2b")
    for x in (38, 50, 76, 88):
        d.rectangle((x - 4, 80, x + 4, 108), fill="#8a5a2b")
    disc(d, 96, 50, 16, "#8a5a2b")
    d.polygon([(84, 38), (80, 62), (92, 50)], fill="#5e3b1c")
    d.line((36, 60, 22, 42), fill="#8a5a2b", width=6)
    disc(d, 110, 52, 4, "black")


def bowl(d: Draw) -> None:
    ground(d, WALL, SOIL, 104)
    d.pieslice((22, 24, 106, 112), 0, 180, fill="#7f8fa3")
    d.ellipse((22, 60, 106, 78), fill="#5aa0dc")


def poster(d: Draw) -> None:
    d.rectangle((0, 0, SIZE, SIZE), fill="#a6502f")
    d.rectangle((34, 20, 94, 108), fill="#fbfaf4")
    d.rectangle((44, 30, 84, 62), fill="#8a5a2b")
    for y in (72, 82, 92):
        d.line((42, y, 86, y), fill="#33383f", width=4)


def ball(d: Draw) -> None:
    ground(d, SKY, GRASS, 92)
    disc(d, 64, 74, 32, "#d92f2f")
    d.arc((40, 42, 88, 106), 60, 300, fill="white", width=4)


def road(d: Draw) -> None:
    ground(d, SKY, GRASS, 52)
    d.polygon([(56, 52), (72, 52), (118, SIZE), (10, SIZE)], fill="#4a4d53")
    for y in (60, 78, 102):
        d.rectangle((62, y, 66, y + 12), fill="white")


def shoe(d: Draw) -> None:
    ground(d, "#d9dde3", GREY, 96)
    d.polygon([(24, 40), (54, 40), (66, 64), (104, 74), (110, 92), (24, 92)], fill="#2b62b8")
    d.rectangle((22, 90, 112, 98), fill="white")
    for k in range(3):
        d.line((50 + 8 * k, 52 + 6 * k, 64 + 8 * k, 48 + 6 * k), fill="white", width=3)


def medal(d: Draw) -> None:
    d.rectangle((0, 0, SIZE, SIZE), fill="#e8eef6")
    d.polygon([(44, 8), (60, 8), (70, 56), (58, 58)], fill="#c9302c")
    d.polygon([(84, 8), (68, 8), (58, 56), (70, 58)], fill="#2458c7")
    disc(d, 64, 82, 28, "#d9a520")
    d.polygon(star_points(64, 82, 18, 8, 5), fill="#f7e08a")


PICTURES: list[Callable[[Draw], None]] = [
    sun,
    boat,
    fish,
    fire,
    moon,
    pot,
    rain,
    leaf,
    flower,
    bee,
    calendar,
    cake,
    gift,
    kite,
    hill,
    window,
    snow,
    snowman,
    cup,
    house,
    train,
    bridge,
    city,
    star,
    basket,
    apple,
    dog,
    bowl,
    poster,
    ball,
    road,
    shoe,
    medal,
]


def main() -> None:
    HERE.mkdir(parents=True, exist_ok=True)
    for paint in PICTURES:
        image = Image.new("RGB", (SIZE, SIZE))
        paint(ImageDraw.Draw(image))
        image.quantize(32).save(HERE / f"{paint.__name__}.png", optimize=True)


if __name__ == "__main__":
    main()
