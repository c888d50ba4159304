"""What OpenAPI cannot say of valid requests, said of those that Schemathesis makes up (contract.md "Content")."""

from itertools import count

import schemathesis
from schemathesis import GenerationMode

MAX_KEY_LENGTH = 255
creations = count()


def is_valid(case):
    return case.meta is None or case.meta.generation.mode == GenerationMode.POSITIVE


@schemathesis.hook
def map_case(context, case):
    if is_valid(case):
        name_domain_of_slug(case)
        use_new_idempotency_key(case)
    return case


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
