"""Finds the id, the caption and the times among the fields of a table: by name first, then by content.

Two fields that fit equally well are a `Question`, never a guess; a field called target, label or reference is
never taken for a candidate's text."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

from . import aliases
from .aliases import plain, text_tier, tier
from .field_values import (
    Clock,
    TimeFields,
    all_counting,
    is_broken_span,
    is_file,
    is_name,
    is_number_pair,
    is_span,
    is_start,
    is_talk,
    is_text,
    is_time,
    plain_time,
    stem,
    text_id,
)
from .record_rows import FILE, KEY, NUMBER, VALUE, is_counter, lookup
from .roles import MAPPED, OWNED, Fields, Question, Roles

_PICTURE = frozenset(("image", "photo", "photoflickrid"))
_PICTURE_ID = frozenset(("imageid", "photoid", "imgid", "imagename", "imagefile"))
_SIZES = frozenset(("size", "resolution", "shape", "dim", "dimension", "imagesize", "videosize", "point"))
_CERTAIN = frozenset(("segment", "timestamp"))  #: names under which a list can only be a span


class Finder(Fields):
    """The roles of fields, and the questions that only the user can answer."""

    def roles(self) -> Roles:
        roles = self._times(Roles())
        roles = self._text(roles)
        roles = self._id(roles)
        roles = self._more(roles)
        frames = [n for n in (roles.start, roles.end, roles.span) if aliases.unit(n) == "frame"]
        if frames and not roles.fps:
            self._ask("fps", frames)
        return roles

    # -- times

    def _times(self, roles: Roles) -> Roles:
        said = {MAPPED[ours]: theirs for ours, theirs in self.columns.items() if ours in MAPPED}
        roles = replace(
            roles,
            start=said.get("start", ""),
            end=said.get("end", ""),
            span=said.get("span", ""),
            fps=said.get("fps", ""),
        )
        if not roles.fps:
            roles = replace(roles, fps=self._first(aliases.FPS, self.outside + self.inside))
        if roles.span or roles.start:
            return roles
        start = self._scaled(("start", "begin", "framestart"), aliases.START)
        end = self._scaled(("end", "stop", "frameend"), aliases.END)
        if start and end:
            return replace(roles, start=start, end=end)
        spans = [
            n
            for n in self.inside
            if (tier(n, aliases.SPAN) or plain(n) == "clip")
            and (self._most(n, is_span) or (plain(n) in _CERTAIN and self._most(n, is_broken_span)))
        ]
        if spans:
            if len(spans) > 1 and not self._alike(spans):
                self._ask("segment", spans)
            return replace(roles, span=spans[0])
        alone = [n for n in self.inside if plain(n) in ("time", "timestamp") and self._most(n, is_start)]
        if ways := self._pairs(start or next(iter(alone), ""), end):
            if len(ways) > 1:
                self._ask("pair", [f"start={a},end={b}" for a, b in ways])
            return replace(roles, start=ways[0][0], end=ways[0][1])
        if start or alone:
            return replace(roles, start=start or alone[0])
        if end:
            self.questions.append(Question("start"))
        if not roles.fps and (edges := self._edges()):
            return replace(roles, start=edges[0], end=edges[1])
        pairs = [
            n
            for n in self.inside
            if not aliases.known(n)
            and plain(n) not in _SIZES
            and 2 * len(self._values(n)) >= len(self.rows)
            and self._most(n, is_number_pair, share=0.9)
        ]
        if len(pairs) > 1:
            self._ask("segment", pairs)
        return replace(roles, span=pairs[0]) if pairs else roles

    def _pairs(self, start: str, end: str) -> list[tuple[str, str]]:
        ids = [n for n in self.names if tier(n, aliases.IDS) in (1, 2)]
        found = TimeFields(self.rows, self.inside, list(self.columns.values()), start)
        return found.pairs(ids, start, end)

    def _edges(self) -> tuple[str, str] | None:
        """Two columns without names beside each other whose numbers are starts and ends."""
        names = self.inside
        if names != [str(n) for n in range(len(names))]:
            return None
        for left, right in pairwise(names):
            pairs = [
                (plain_time(a), plain_time(b)) for a, b in zip(self._all(left), self._all(right), strict=True)
            ]
            if pairs and all(a is not None and b is not None and a < b for a, b in pairs):
                return left, right
        return None

    def _scaled(self, heads: tuple[str, ...], table: dict[str, int]) -> str:
        """A field of starts or ends, in seconds, milliseconds or frames."""
        named = [n for n in self.inside if tier(n, table) is not None and self._most(n, is_time)]
        scaled = [
            n
            for n in self.inside
            if plain(n).startswith(heads) and aliases.unit(n) and self._most(n, is_time)
        ]
        if len(named) > 1:
            exact = [n for n in named if plain(n) in ("start", "end", "starttime", "endtime")]
            named = exact if len(exact) == 1 else named
            if len(named) > 1 and not self._alike(named):
                self._ask(heads[0], named)
        return named[0] if named else scaled[0] if scaled else ""

    # -- text

    def _text(self, roles: Roles) -> Roles:
        said = next((self.columns[k] for k in ("text", "caption", "answer") if k in self.columns), "")
        if said:
            return replace(roles, text=said)
        if VALUE in self.inside:
            return replace(roles, text=VALUE)
        parts, story = self._parts()
        usable = [
            n for n in self.names if self._can_be_text(n) and n not in (roles.span, roles.start, roles.end)
        ]
        inside = [n for n in usable if n in self.inside]
        graded = {n: t for n in inside if (t := text_tier(n, self.role)) is not None and self._nested_ok(n)}
        if not graded and roles.timed is False:
            graded = {
                n: t for n in usable if (t := text_tier(n, self.role)) is not None and self._nested_ok(n)
            }
        graded = {n: t for n, t in graded.items() if n.partition(".")[0] not in graded or "." not in n}
        graded = {n: t for n, t in self._answer_beside_output(graded).items() if n not in parts}
        if any(map(self._wordy, graded)):  # numbers or ids beside sentences are no texts
            graded = {n: t for n, t in graded.items() if not self._names_items(n)}
        if parts and not any(t < 10 for t in graded.values()):
            return replace(roles, parts=parts, story=story)
        if graded:
            best = [n for n, t in graded.items() if t == min(graded.values())]
            best = self._settle(best, self._word_count)
            if self.role == "references" and plain(best[0]) == "label" and not self._wordy(best[0]):
                best += [n for n, t in graded.items() if 10 < t < 20 and self._wordy(n)]  # a class, perhaps
            output = self.role == "references" and plain(best[0]) in aliases.OUTPUTS
            if output or self._names_items(best[0]):  # beside texts under a name that says nothing
                best += self._sentences(inside, (roles.start, roles.end, roles.span), ids=True)
            if len(best) > 1 and not self._alike(best):
                self._ask("text", best)
            return replace(roles, text=best[0], story=plain(best[0].rpartition(".")[2]) in aliases.STORY)
        talks = [n for n in self.inside if plain(n) in ("conversation", "message") and self._most(n, is_talk)]
        if talks:
            return replace(roles, text=talks[0])
        return replace(roles, text=self._text_by_content(inside, roles))

    def _text_by_content(self, usable: list[str], roles: Roles) -> str:
        """The only field of sentences whose name says nothing else."""
        sentences = self._sentences(usable, (roles.start, roles.end, roles.span))
        sentences = sentences or [n for n in usable if plain(n) == "name" and self._wordy(n)]
        if len(sentences) > 1:
            self._ask("text", sentences)
        if sentences:
            return sentences[0]
        inner = [n for n in usable if "." in n and text_tier(n.rpartition(".")[0], self.role) is not None]
        if len(inner) > 1:
            self._ask("text", inner)  # {"captions": {"en": "…", "de": "…"}}
            return ""
        owned = [n for n in usable if aliases.is_reference_name(n)]
        if owned and self.role == "candidates":
            self.questions.append(Question("text", tuple(owned[:1]), OWNED))
        else:
            self.questions.append(Question("text"))
        return ""

    def _answer_beside_output(self, graded: dict[str, int]) -> dict[str, int]:
        """`answer` and `A` beside an output of a model are references; beside a question alone, the text."""
        if self.role == "references" and any(plain(n) in aliases.OUTPUTS for n in self.names):
            return {n: t for n, t in graded.items() if plain(n) not in aliases.OUTPUTS} or graded
        if self.role == "references":
            return {n: t for n, t in graded.items() if plain(n) != "a" or len(graded) == 1}
        return graded

    def _nested_ok(self, name: str) -> bool:
        """A text inside an object counts only where the object itself is called a text (`output.completion`)
        or holds one caption of a list."""
        head, dot, _ = name.rpartition(".")
        if not dot:
            return True
        above = head.rpartition(".")[2]
        return text_tier(above, self.role) is not None and plain(above) not in aliases.NEVER

    def _can_be_text(self, name: str) -> bool:
        if plain(name.rpartition(".")[2]) in aliases.NEVER or self._most(name, is_file, share=1.0):
            return False
        return self._most(name, is_text)

    def _parts(self) -> tuple[tuple[str, ...], bool]:
        """A column per sentence (`sent1` … `sent5`) or per alternative (`caption_1` … `caption_5`)."""
        series: dict[str, dict[int, str]] = {}
        for name in self.inside:
            found = aliases.NUMBERED.match(name)
            if found and "." not in found[1] and self._most(name, lambda v: isinstance(v, str), share=0.0):
                series.setdefault(plain(found[1]), {})[int(found[2])] = name
        for base, members in series.items():
            order = sorted(members)
            if len(order) < 2 or order[0] > 2:
                continue
            if order not in (list(range(len(order))), list(range(1, len(order) + 1))):
                if base in aliases.SENTENCE_COLUMNS - {""} or text_tier(base, self.role) is not None:
                    names = ", ".join(members[k] for k in order)
                    self.questions.append(
                        Question("text", (members[order[0]],), f"a number is lacking: {names}")
                    )
                continue
            if base in aliases.SENTENCE_COLUMNS and base:
                return tuple(members[k] for k in order), True
            if text_tier(base, self.role) is not None:
                return tuple(members[k] for k in order), False
        return (), False

    # -- id

    def _id(self, roles: Roles) -> Roles:
        said = self.columns.get("video") or self.columns.get("id") or ""
        if said:
            return replace(roles, id=said)
        exploded = any(row.parent is not None for row in self.rows)
        names = self.outside if exploded else self.inside
        taken = {roles.text, roles.start, roles.end, roles.span, *roles.parts}
        usable = {
            n: t
            for n in names
            if n not in taken and (t := tier(n, aliases.IDS)) is not None and self._can_be_id(n)
        }
        if self.found.keyed:
            return replace(roles, id=NUMBER if self.found.numbered else self._key_or_field(usable))
        if self.found.single and not usable:
            return replace(roles, id=FILE)
        if usable:
            return replace(roles, id=self._best_id(usable, roles))
        if exploded and not usable:
            inner = {n: t for n in self.inside if (t := tier(n, aliases.IDS)) == 1 and self._can_be_id(n)}
            if inner:
                return replace(roles, id=self._best_id(inner, roles))
        unique = [
            n
            for n in names
            if n not in taken
            and "." not in n
            and not aliases.known(n)
            and self._most(n, is_name, share=1.0)
            and (roles.timed or len(set(map(str, self._values(n)))) == len(self.rows))
        ]
        if len(unique) > 1:
            letters = [n for n in unique if any(c.isalpha() for v in self._values(n) for c in str(v))]
            unique = letters if len(letters) == 1 else unique
        if len(unique) > 1:
            self._ask("video", unique)
        if unique and self._numbers_beside_names(unique[0], names, taken):
            unique = []
        if unique:
            return replace(roles, id=unique[0])
        one = not exploded or len({row.group for row in self.rows}) == 1
        if roles.timed and one and not any(aliases.known(n) and tier(n, aliases.IDS) for n in self.names):
            return replace(roles, id=FILE)
        self.questions.append(Question("video"))
        return roles

    def _numbers_beside_names(self, name: str, names: list[str], taken: set[str]) -> bool:
        """Numbers that happen to be all different, beside a column of names that are not."""
        if any(c.isalpha() for v in self._values(name) for c in str(v)):
            return False
        return any(
            n not in taken and n != name and not aliases.known(n) and self._most(n, is_name, share=1.0)
            and any(c.isalpha() for v in self._values(n) for c in str(v))
            for n in names
        )  # fmt: skip

    def _best_id(self, usable: dict[str, int], roles: Roles) -> str:
        top = [n for n, t in usable.items() if t == min(usable.values())]
        counted = [n for n in top if not is_counter(self._values(n))]
        top = [n for n in counted or top if "." not in n] or counted or top
        top = [n for n in top if not plain(n).endswith("url")] or top
        if any(plain(n) in ("image", "imageid", "photo", "photoid", "imgid") for n in top):
            top = [n for n in top if plain(n) == "storyid"] or top  # pictures are parts of a story
        if len(top) > 1:
            counted = [n for n in top if not is_counter(self._values(n))]
            top = counted or top
        if len(top) > 1:
            top = self._settle(top, lambda n: sum(v is not None for v in self._all(n)))
        if len(top) > 1 and not self._alike(top, stem):
            self._ask("video", top)
        return top[0]

    def _key_or_field(self, usable: dict[str, int]) -> str:
        """Records by key that name their item too: the key, unless it only counts."""
        keys = [row.key for row in self.rows]
        strong = {n: t for n, t in usable.items() if t <= 2}
        if not strong:
            return KEY
        name = self._best_id(strong, Roles())
        values = [text_id(lookup(row, name, outside=True)) for row in self.rows]
        if [stem(v) for v in values] == [stem(k) for k in keys]:
            return KEY
        if is_counter(list(dict.fromkeys(keys))) and not is_counter(values):
            return name
        if is_counter(values) or len(set(values)) < len(set(keys)) or strong[name] == 2:
            return KEY if not (strong[name] == 2 and all_counting(keys)) else name
        self._ask("video", [KEY, name])
        return KEY

    def _can_be_id(self, name: str) -> bool:
        return self._most(name, lambda v: text_id(v) is not None)

    # -- the others

    def _more(self, roles: Roles) -> Roles:
        said = {MAPPED[ours]: theirs for ours, theirs in self.columns.items() if ours in MAPPED}
        duration = said.get("duration") or self._first(aliases.DURATION, self.outside + self.inside)
        if duration in (roles.end, roles.start, roles.span):
            duration = ""
        length = said.get("length", "")
        if (
            not length
            and duration
            and "duration" not in said
            and roles.start
            and not (roles.end or roles.span)
        ):
            lasting = self._lasts(duration, roles)
            if lasting is None:
                reason = "it may be how long each caption lasts (length), or the video (duration)"
                self.questions.append(Question("length", (duration,), reason))
            elif lasting:
                length, duration = duration, ""
        images = said.get("images") or self._first(
            aliases.IMAGES,
            self.names,
            lambda v: isinstance(v, list) and len(v) > 1 and not isinstance(v[0], dict),
        )
        # beside the id of a story, that of a picture names the picture of a sentence
        pictures = _PICTURE | (_PICTURE_ID if plain(roles.id) == "storyid" else set())
        image = said.get("image") or next(
            (n for n in self.inside if plain(n) in pictures and n != roles.id), ""
        )
        order = said.get("order") or self._first(aliases.ORDER, self.inside, is_time)
        if "images" in said and not any(isinstance(v, list) for v in self._values(images)):
            image, images = images, ""
        return replace(
            roles,
            duration=duration if duration != length else "",
            length=length,
            images=images,
            image=image if image != images else "",
            order="" if roles.timed else order,
            story=roles.story or bool(images),
        )

    def _lasts(self, name: str, roles: Roles) -> bool | None:
        """Starts and durations without ends: is the duration that of each caption, or of the video?"""
        if name not in self.inside:
            return False
        if roles.id == FILE:
            return True
        starts, lengths = Clock(roles.start, None), Clock(name, None)
        groups: dict[str, list[tuple[Any, Any]]] = {}
        for row in self.rows:
            id = row.key if roles.id == KEY else str(lookup(row, roles.id, outside=True))
            pair = starts.seconds(lookup(row, roles.start)), lengths.seconds(row.fields.get(name))
            groups.setdefault(str(id), []).append(pair)
        several = [group for group in groups.values() if len(group) > 1]
        if any(len({length for _, length in group}) > 1 for group in several):
            return True
        every = [pair for group in groups.values() for pair in group]
        numbers = [pair for pair in every if all(isinstance(value, int | float) for value in pair)]
        if any(start >= length for start, length in numbers):
            return True
        return False if several or all(start == 0 for start, _ in numbers) else None
