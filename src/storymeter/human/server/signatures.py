"""Whether Prolific signed who it sends: then nobody can invent raters.

The address of a study that is set to be secure there ends in `prolific_token`, a JWT signed with RS256.
Prolific publishes the public keys (https://api.prolific.com/.well-known/study/jwks.json) and changes them now
and then; the campaign holds a copy of that file, and the server needs no network. The ids are taken from the
token alone. It must be meant for this server (`aud`), for this study where the campaign names one, and not be
too old, unless its session is known: who comes back is the same rater. Mechanical Turk signs nothing."""

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from ...errors import DataError, MissingPartError, UsageError
from ..campaign.export import Visit, prolific_visit
from ..campaign.record import Folder

if TYPE_CHECKING:
    import jwt

#: seconds by which clocks may differ
SKEW = 60.0
#: the longest token that is looked at
LONGEST = 4096
ALGORITHMS = ("RS256", "ES256")


class Signed(NamedTuple):
    """A visitor whom the platform sent; `fresh`: not long ago."""

    visit: Visit
    fresh: bool


def read_keys(raw: bytes, name: str) -> "jwt.PyJWKSet":
    """The public keys of a JWKS."""
    try:
        import jwt
        from jwt.algorithms import has_crypto
    except ImportError:
        raise MissingPartError.extra("Signed visits", "human") from None
    if not has_crypto:
        raise MissingPartError.extra("Signed visits", "human")
    hint = "Fetch it anew: curl -o keys.json https://api.prolific.com/.well-known/study/jwks.json"
    try:
        keys = jwt.PyJWKSet.from_json(raw.decode())
        if not all(key.algorithm_name in ALGORITHMS and key.key_id for key in keys.keys):
            raise ValueError("a key that is not public, or has no id")
    except (jwt.PyJWTError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise DataError(f"{name} is no file of public keys (JWKS): {error}", hint=hint) from None
    return keys


class Signatures:
    """The platform's keys of a campaign; read again when the file has changed: a key that is gone signs no
    more."""

    def __init__(self, folder: Folder) -> None:
        campaign = folder.campaign
        self._path = folder.path / campaign.platform.keys
        self._host = urlsplit(campaign.public_url).hostname
        self._study = campaign.platform.study
        if not self._host:
            raise UsageError(
                "Signed visits of Prolific name the server that they are meant for, and this campaign has no"
                " public address.",
                hint="Give it once: storymeter human serve DIR --public-url https://study.example.org",
            )
        self._read()

    def _read(self) -> None:
        try:
            self._read_at = self._path.stat().st_mtime_ns
            raw = self._path.read_bytes()
        except OSError as error:
            raise DataError(
                f"{self._path} cannot be read: {error.strerror}.",
                hint="Restore it, or take `keys` out of `platform` in campaign.json.",
            ) from None
        self._keys: Any = {key.key_id: key for key in read_keys(raw, str(self._path)).keys}

    def _key(self, name: object) -> Any:
        try:
            if self._path.stat().st_mtime_ns != self._read_at:
                self._read()
        except (OSError, DataError):  # being written: the old keys stay
            pass
        return self._keys.get(name)

    def visit(self, query: Mapping[str, str]) -> Signed | None:
        """Whom the platform sent here; None where it did not sign that."""
        import jwt

        token = query.get("prolific_token", "")
        try:
            key = self._key(jwt.get_unverified_header(token).get("kid")) if len(token) <= LONGEST else None
            if key is None:
                return None
            claims = jwt.decode(
                token,
                key,
                algorithms=[key.algorithm_name],
                leeway=SKEW,
                options={"require": ["exp", "aud"], "verify_exp": False, "verify_aud": False},
            )
            fresh = time.time() <= float(claims["exp"]) + SKEW
        except (jwt.PyJWTError, ValueError, TypeError, RecursionError):
            return None
        meant, ids = claims["aud"], claims.get("prolific")
        hosts = {_host(one) for one in (meant if isinstance(meant, list) else [meant])}
        if self._host not in hosts or not isinstance(ids, dict):
            return None
        ids = {name: value for name, value in ids.items() if isinstance(value, str)}
        said = {name: query[name] for name in ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID") if name in query}
        visit = prolific_visit(ids)
        if visit is None or not said.items() <= ids.items() or self._study not in ("", ids["STUDY_ID"]):
            return None
        return Signed(visit, fresh)


def _host(address: object) -> str | None:
    """The host of an address, or of a host's name."""
    text = str(address)
    try:
        return urlsplit(text if "//" in text else f"//{text}").hostname
    except ValueError:
        return None
