"""A route and its description in one: what Starlette needs to serve it, and what OpenAPI says of it."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ... import __version__

Handler = Callable[[Request], Awaitable[Response]]
#: answers that any route may give
_ALWAYS = (404, 429, 503, 507)


class Endpoint(NamedTuple):
    method: str
    path: str
    handle: Handler
    summary: str
    #: the struct that its JSON body must fit
    body: type | None = None
    #: whether it takes a form
    form: bool = False
    #: statuses beside 200 and those that any route may give
    replies: tuple[int, ...] = ()

    @property
    def route(self) -> Route:
        return Route(self.path, self.handle, methods=[self.method])


def description(endpoints: Sequence[Endpoint]) -> dict[str, Any]:
    """The OpenAPI description; the schemas of the bodies are generated from their structs."""
    bodies = [one.body for one in endpoints if one.body is not None]
    schemas, components = msgspec.json.schema_components(bodies, ref_template="#/components/schemas/{name}")
    schema_of = dict(zip(bodies, schemas, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for one in endpoints:
        content: dict[str, Any] = {}
        if one.body is not None:
            content = {"application/json": {"schema": schema_of[one.body]}}
        elif one.form:
            content = {"application/x-www-form-urlencoded": {"schema": {"type": "object"}}}
        paths.setdefault(one.path, {})[one.method.lower()] = {
            "summary": one.summary,
            "parameters": [
                {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
                for name in re.findall(r"\{(\w+)\}", one.path)
            ],
            **({"requestBody": {"required": one.body is not None, "content": content}} if content else {}),
            "responses": {
                str(status): {"description": ""} for status in sorted({200, *_ALWAYS, *one.replies})
            },
        }
    return {
        "openapi": "3.1.0",
        "info": {"title": "Storymeter human study", "version": __version__},
        "paths": paths,
        "components": {"schemas": components},
    }
