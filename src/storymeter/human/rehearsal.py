"""Rehearsals: raters made of code who work through the real HTTP interface, honestly or not.

    honest     follows the truth, with an own mean, an own spread and noise; sees damage
    lazy       looks at three captions in ten, and gives the others something agreeable
    random     any number
    constant   always the same number
    rushing    does not watch, tries to answer at once, hovers around the middle
    extremes   pulls the handle to one end or the other, by lot
    fluent     never watches: scores how fluent and how long the text is (`Blind`)
    twins      the same, and lowers the less fluent of two captions that differ in a few words

The truth is read from the private key (which is why only the organiser can rehearse): systems are spread from
good to poor in the order in which they were given, human captions lie above them, damaged ones far below
their originals."""

import asyncio
import contextlib
import hashlib
import math
import random
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, get_args

import msgspec

from ..errors import MissingPartError, StorymeterError, UsageError, suggest
from .campaign.fluency import Bigrams
from .campaign.record import Campaign, KeyLine
from .study import named

try:
    import aiohttp
except ImportError:
    raise MissingPartError.extra("A rehearsal", "human") from None

#: what a request raises that has no reply
BROKEN = (aiohttp.ClientError, asyncio.TimeoutError)
Character = Literal["honest", "lazy", "random", "constant", "rushing", "extremes", "fluent", "twins"]
CHARACTERS: tuple[Character, ...] = get_args(Character)
#: blind raters: points of the slider for one standard deviation, for a twin, and what an answer strays by
_SPREAD, _TWIN, _NOISE = 14.0, 35.0, 4.0


def mix(text: str, raters: int) -> list[Character]:
    """`honest=.7,random=.3` as so many characters, by largest remainder; the order is that of the text."""
    shares: dict[Character, float] = {}
    for part in text.split(","):
        name, _, share = part.strip().partition("=")
        if name not in CHARACTERS:
            raise UsageError(f"There is no kind of simulated rater {name!r}.", hint=suggest(name, CHARACTERS))
        try:
            shares[name] = float(share or 1)
        except ValueError:
            raise UsageError(f"{share!r} is not a share.", hint="Write --mix honest=.7,random=.3") from None
    total = sum(shares.values())
    if total <= 0 or min(shares.values()) < 0:
        raise UsageError("The shares of --mix must be positive.", hint="Write --mix honest=.7,random=.3")
    exact = {name: raters * share / total for name, share in shares.items()}
    counts = {name: int(value) for name, value in exact.items()}
    for name in sorted(exact, key=lambda n: counts[n] - exact[n])[: raters - sum(counts.values())]:
        counts[name] += 1
    return [name for name, count in counts.items() for _ in range(count)]


class Truth:
    """What a rater who looks would find: the true quality of each text, and what stands behind each item."""

    def __init__(self, campaign: Campaign, key: Mapping[tuple[str, int], KeyLine]) -> None:
        count = max(1, len(campaign.systems) - 1)
        self.study = named(campaign.task)
        self.systems = {name: 78 - 40 * place / count for place, name in enumerate(campaign.systems)}
        self._texts: dict[str, float] = {}
        self._lines: dict[str, KeyLine] = {}
        plain: list[str] = []
        for line in key.values():
            self._lines["\n".join(self.study.texts(self.study.page_data(line)))] = line
            for text, level in self.study.true_quality(line, self.systems):
                words = _words(text)
                if level in self.systems.values():
                    plain.append(words)
                if level < self._texts.get(words, 1000.0) - 30 or words not in self._texts:
                    self._texts[words] = level + _lot(line.item + words, 6.0)

        #: what a rater who never watches may have read: captions of systems
        self.model = Bigrams(plain)

    def of(self, text: str | Sequence[str]) -> float:
        return self._texts.get(_words(text), 50.0)

    def behind(self, item: Mapping[str, Any]) -> KeyLine | None:
        """The line of the private key that an item shows."""
        return self._lines.get("\n".join(self.study.texts(item)))


def _words(text: str | Sequence[str]) -> str:
    return text if isinstance(text, str) else "\n".join(text)


def _lot(text: str, spread: float) -> float:
    """A fixed deviation of each caption, the same for everybody."""
    return random.Random(hashlib.sha256(text.encode()).digest()).gauss(0, spread)


class Blind:
    """A simulated rater that scores the text of captions without the clip.

        fluent   what reads well and is long gets a high score: z of the mean log p of its bigrams and of its
                 length, over what the rater has read so far
        twins    the same, and remembers: of two captions that differ in one run of words only, the one that
                 reads less fluently gets a lower score

    Both give a caption that comes again the score it had. Their language model has read captions like these.
    """

    def __init__(self, model: Bigrams, rng: random.Random, *, twins: bool = False) -> None:
        self.model, self.rng, self.twins = model, rng, twins
        self.read: list[tuple[float, float]] = []
        self.known: dict[str, float] = {}

    def score(self, caption: str) -> float:
        """0-100 for a caption, whatever the clip shows."""
        if caption not in self.known:
            words = self.model.cut(caption)
            fluency = self.model.fluency(words) / (len(words) + 1)
            self.read.append((fluency, math.log(len(words) + 1)))
            score = 60 + _SPREAD * sum(
                _z(value, [seen[k] for seen in self.read]) for k, value in enumerate(self.read[-1])
            )
            cut = self.model.cut
            known = self.known if self.twins else ()
            twin = next((text for text in known if _twins(cut(text), words)), None)
            if twin is not None:
                better = self.model.fluency(words) > self.model.fluency(cut(twin))
                score = self.known[twin] + (_TWIN if better else -_TWIN)
            self.known[caption] = score
        return min(100.0, max(0.0, self.known[caption] + self.rng.gauss(0, _NOISE)))


def _twins(a: Sequence[str], b: Sequence[str]) -> bool:
    """Whether two texts are equally long, and differ in one run that leaves their ends and half of the words.

    >>> one, other = "a man sings in a hall".split(), "a man cooks some soup hall".split()
    >>> _twins(one, other), _twins(list("abcd"), list("xbcd"))
    (True, False)
    """
    if len(a) != len(b) or a == b:
        return False
    places = [k for k, (first, second) in enumerate(zip(a, b, strict=True)) if first != second]
    return places[0] > 0 and places[-1] < len(a) - 1 and 2 * (places[-1] - places[0] + 1) <= len(a) + 1


def _z(value: float, values: Sequence[float]) -> float:
    mean = sum(values) / len(values)
    sd = math.sqrt(sum((v - mean) ** 2 for v in values) / len(values))
    return (value - mean) / sd if sd > 1e-9 else 0.0


class Bot:
    """One rater: what it thinks of an item, by its character."""

    def __init__(self, character: Character, truth: Truth, seed: str) -> None:
        self.character, self.truth = character, truth
        self.rng = random.Random(seed)
        self.shift, self.scale = self.rng.gauss(0, 6), self.rng.uniform(0.8, 1.15)
        self.habit = self.rng.randrange(55, 95)
        #: sd of what an honest answer strays by, in points of the slider
        self.noise = 9.0
        self.blind = Blind(truth.model, self.rng, twins=character == "twins")

    @property
    def attentive(self) -> bool:
        return self.character in ("honest", "constant")

    def score(self, truth: float) -> float:
        """0-100 for something of this true quality."""
        if self.character == "constant":
            return self.habit
        if self.character == "random":
            return self.rng.uniform(0, 100)
        if self.character == "extremes":
            return self.rng.choice((0.0, 100.0))
        if self.character == "rushing":
            return self.rng.gauss(60, 12)
        if self.character == "lazy" and self.rng.random() > 0.3:
            return self.rng.gauss(self.habit, 8)
        return 50 + (truth - 50) * self.scale + self.shift + self.rng.gauss(0, self.noise)

    def level(self, text: str | Sequence[str]) -> float:
        if self.character in ("fluent", "twins"):
            return self.blind.score(_words(text))
        return self.score(self.truth.of(text))

    def truth_of(self, text: str | Sequence[str]) -> float:
        return self.truth.of(text)

    def answer(self, item: Mapping[str, Any]) -> dict[str, Any]:
        return self.truth.study.reply(item, self, self.truth.behind(item))


class Tally(msgspec.Struct):
    """What a rater got acknowledged: (position, answer) in order, and how it ended."""

    character: str
    saved: list[tuple[int, dict[str, Any]]] = []
    code: str = ""
    ended: str = ""
    retries: int = 0


class Reply(NamedTuple):
    """The whole response to a request."""

    status: int
    location: str
    content: bytes

    @property
    def text(self) -> str:
        return self.content.decode(errors="replace")

    def json(self) -> Any:
        return msgspec.json.decode(self.content)


class Visitor:
    """A bot that does as the page does: keeps an answer until it is acknowledged; with `trouble`, an unlucky
    one too (double clicks, stale tabs, connections that drop before the reply comes)."""

    def __init__(
        self,
        client: aiohttp.ClientSession,
        link: str,
        bot: Bot,
        *,
        think: tuple[float, float] = (0, 0),
        watch: bool = False,
        trouble: float = 0.0,
        patience: float = 60.0,
    ) -> None:
        self.client, self.link, self.bot = client, link, bot
        self.think, self.watch, self.trouble, self.patience = think, watch, trouble, patience
        self.tally = Tally(bot.character)

    async def request(
        self, method: str, path: str, body: dict[str, Any] | None = None, seconds: float = 30
    ) -> Reply:
        limit = aiohttp.ClientTimeout(total=seconds)
        async with self.client.request(
            method, path, json=body, timeout=limit, allow_redirects=False
        ) as response:
            return Reply(response.status, response.headers.get("location", ""), await response.read())

    async def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Reply:
        """Until an answer comes that is final, as the page does."""
        begin, pause = time.monotonic(), 0.1
        while True:
            try:
                if self.trouble and self.bot.rng.random() < self.trouble:
                    with contextlib.suppress(*BROKEN):  # sent, but nobody waits for the reply
                        await self.request(method, self.link + path, body, 0.004)
                reply = await self.request(method, self.link + path, body)
                if reply.status not in (502, 503, 504, 507):
                    return reply
            except BROKEN:
                pass
            self.tally.retries += 1
            if time.monotonic() - begin > self.patience:
                raise StorymeterError(
                    f"The server has not answered {path} for {self.patience:.0f} s.", hint="Is it running?"
                )
            await asyncio.sleep(pause)
            # longer and longer, as the page does: a crowd that knocks all the time delays the server's start
            pause = min(0.8, 2 * pause)

    async def arrive(self) -> bool:
        """Consent, and a seat. A platform's address leads to the rater's own first."""
        if not self.link.startswith("/r/"):
            path, self.link = self.link, ""
            self.link = (await self.call("GET", path)).location
        return (await self.call("POST", "/begin")).status == 303

    async def work(self) -> Tally:
        reply = (await self.call("GET", "/item")).json()
        while "go" not in reply and "go" not in reply.get("next", {}):
            if "next" not in reply:
                self.tally.ended = str(reply.get("message", reply))
                return self.tally
            reply = await self.one(reply["next"])
        page = await self.call("GET", "")
        self.tally.ended = "done" if page.status == 200 and 'id="code"' in page.text else "away"
        if self.tally.ended == "done":
            self.tally.code = page.text.partition('id="code"')[2].partition(">")[2].partition("<")[0]
        return self.tally

    async def one(self, item: dict[str, Any]) -> dict[str, Any]:
        """Watch, think, answer; gives the reply to the answer."""
        mark = {"id": item["id"], "at": item["at"]}
        answer = self.bot.answer(item)
        body: dict[str, Any] = {**mark, "answer": answer}
        if item["watch"]:
            if self.watch and self.bot.character != "rushing":
                await self.see(item, mark)
            else:
                body["events"] = ["play", "ended"]
        if self.think[1]:
            await asyncio.sleep(self.bot.rng.uniform(*self.think))
        reply: dict[str, Any] = (await self.call("POST", "/answer", body)).json()
        while reply.get("status") == "unwatched":  # the server's clock says no: watch it after all
            await self.see(item, mark)
            await asyncio.sleep(float(reply["missing"]))
            body["events"] = ["play", "ended"]
            reply = (await self.call("POST", "/answer", body)).json()
        if reply.get("status") == "saved":
            self.tally.saved.append((item["at"], answer))
            if (
                self.trouble and self.bot.rng.random() < self.trouble
            ):  # a double click, or an old tab with another answer
                other = body if self.bot.rng.random() < 0.5 else {**body, "answer": self.bot.answer(item)}
                await self.call("POST", "/answer", other)
        return reply

    async def see(self, item: dict[str, Any], mark: dict[str, Any]) -> None:
        clip = (await self.request("GET", item["media"][0])).content if item["media"] else b""
        await self.call("POST", "/event", {**mark, "event": "play"})
        await asyncio.sleep(0 if clip else 0.01)
        await self.call("POST", "/event", {**mark, "event": "ended"})


def browser(url: str) -> aiohttp.ClientSession:
    """A client of a server, as one rater has it."""
    return aiohttp.ClientSession(
        url,
        cookie_jar=aiohttp.DummyCookieJar(),
        json_serialize=lambda body: msgspec.json.encode(body).decode(),
    )


async def rehearse(
    url: str,
    links: Sequence[str],
    bots: Sequence[Bot],
    *,
    report: Callable[[int, int], None] = lambda done, total: None,
    at_once: int = 200,
    **behaviour: Any,
) -> list[Tally]:
    """All of them at work. Seats are taken one after the other, so that the same seed gives the same rater
    the same HIT.
    """
    async with browser(url) as door:
        visitors = [Visitor(door, link, bot, **behaviour) for link, bot in zip(links, bots, strict=True)]
        seated = [visitor for visitor in visitors if await visitor.arrive()]
    gate = asyncio.Semaphore(at_once)
    done = 0

    async def turn(visitor: Visitor) -> None:
        nonlocal done
        async with gate, browser(url) as visitor.client:
            await visitor.work()
        done += 1
        report(done, len(seated))

    await asyncio.gather(*(turn(visitor) for visitor in seated))
    return [visitor.tally for visitor in visitors]
