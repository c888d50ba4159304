"""What OpenAPI cannot say of valid requests, said of those that Schemathesis makes up (contract.md "Content", "Vehicle insurance")."""

import re
from itertools import count
from urllib.parse import urlencode

import schemathesis
from schemathesis import GenerationMode

MAX_KEY_LENGTH = 255
TEXTS = ("title", "content", "meta_description")
WRONG_CHARACTERS = re.compile("[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffd]")
DATE = re.compile(r"\d{4}-\d\d-\d\d")
# Over 10,240 bytes of address and headers the gateway itself answers 413, which is described under x-platform-responses.
MAX_QUERY_BYTES = 8_000
creations = count()


def is_valid(case):
    return case.meta is None or case.meta.generation.mode == GenerationMode.POSITIVE


@schemathesis.hook
def map_case(context, case):
    if is_valid(case):
        begin_on_the_first_page(case)
        name_domain_of_slug(case)
        use_new_idempotency_key(case)
        use_visible_text(case)
        use_answerable_date(case.query)
        use_answerable_date(case.body)
    return case


@schemathesis.hook
def before_call(context, case, kwargs):
    """Once more: requests that follow a link get parts of their body after `map_case`."""
    remove_wrong_characters(case)


@schemathesis.hook
def filter_case(context, case):
    query = case.query if isinstance(case.query, dict) else {}
    return len(urlencode(query, doseq=True, errors="replace")) <= MAX_QUERY_BYTES


def begin_on_the_first_page(case):
    """Only the service makes an `after`, and it excludes `offset` and `slug`."""
    if case.query:
        case.query.pop("after", None)


def name_domain_of_slug(case):
    """`slug` needs `domain`: a rule between two parameters."""
    if case.query and "slug" in case.query:
        case.query.setdefault("domain", "help.example")


def use_new_idempotency_key(case):
    """A used key gives the item of its first request again, even if that was deleted meanwhile; these are new items."""
    key = case.headers and case.headers.get("Idempotency-Key")
    if isinstance(key, str):
        suffix = f"-{next(creations)}"
        case.headers["Idempotency-Key"] = key[: MAX_KEY_LENGTH - len(suffix)] + suffix


def remove_wrong_characters(case):
    """Content texts hold no control characters and no U+FFFD."""
    if isinstance(case.body, dict):
        for field in TEXTS:
            if isinstance(case.body.get(field), str):
                case.body[field] = WRONG_CHARACTERS.sub("x", case.body[field])


def use_visible_text(case):
    """A content text of invisible characters is empty."""
    remove_wrong_characters(case)
    if not isinstance(case.body, dict):
        return
    for field in ("title", "content"):
        text = case.body.get(field)
        if isinstance(text, str) and not any(character.isalnum() for character in text):
            case.body[field] = "x" + text[1:]


def use_answerable_date(part):
    """A day that is asked for is one from 1900 to 2099."""
    date = isinstance(part, dict) and part.get("date")
    if isinstance(date, str) and DATE.fullmatch(date) and not "1900" <= date[:4] <= "2099":
        part["date"] = f"20{date[2:]}".replace("-02-29", "-02-28")
