"""Drives every operation with the client of openapi-python-client."""

import os
from collections.abc import Callable
from typing import cast

from vehicles import AuthenticatedClient
from vehicles.api.compliance import check_compliance, get_compliance
from vehicles.api.content import create_content, delete_content, get_content, list_content, update_content
from vehicles.api.usage import get_usage
from vehicles.api.vehicles import check_insurance, get_insurance
from vehicles.models import (
    BulkComplianceRequest, BulkRequest, BulkResult, ContentItem, CreateContent, Problem, UpdateContent,
)


def client_for(key: str) -> AuthenticatedClient:
    return AuthenticatedClient(base_url=os.environ["ORIGIN"] + "/v1", token=key, raise_on_unexpected_status=True)


def reason(answer: object) -> str:
    if not isinstance(answer, Problem):
        return "none"
    return f"{answer.status} {answer.code} {answer.suggestion or ''}".strip()


def item(slug: str = "tyres", title: str = "Tyres") -> CreateContent:
    return CreateContent(title=title, content="When to fit them.", domain="python.example", slug=slug)


api = client_for(os.environ["KEY"])
created = create_content.sync(client=api, body=item(), idempotency_key="python")
assert isinstance(created, ContentItem)
id = created.id
title, taken = UpdateContent(title="T"), UpdateContent(domain="news.example", slug="motoring-news-1")

for failure in (
    get_insurance.sync("!", client=api),
    get_insurance.sync("ABI2CDE", client=api),
    check_insurance.sync(client=api, body=BulkRequest([])),
    get_compliance.sync("!", client=api),
    get_compliance.sync("VE24UNK", client=api),
    check_compliance.sync(client=api, body=BulkComplianceRequest([])),
    list_content.sync(client=api, limit=0, offset=-1),
    create_content.sync(client=api, body=item(slug="No slug")),
    create_content.sync(client=api, body=item()),
    create_content.sync(client=api, body=item(title="T"), idempotency_key="python"),
    get_content.sync("none", client=api),
    update_content.sync(id, client=api, body=UpdateContent(title="")),
    update_content.sync("none", client=api, body=title),
    update_content.sync(id, client=api, body=taken),
    update_content.sync(id, client=api, body=title, if_match='"7"'),
    delete_content.sync("none", client=api),
    delete_content.sync(id, client=api, if_match='"7"'),
):
    print(reason(failure))

calls: list[Callable[[AuthenticatedClient], object]] = [
    lambda api: get_insurance.sync("AB12CDE", client=api),
    lambda api: check_insurance.sync(client=api, body=BulkRequest(["AB12CDE"])),
    lambda api: get_compliance.sync("AB12CDE", client=api),
    lambda api: check_compliance.sync(client=api, body=BulkComplianceRequest(["AB12CDE"])),
    lambda api: list_content.sync(client=api, domain="python.example"),
    lambda api: create_content.sync(client=api, body=item(), idempotency_key="python"),
    lambda api: get_content.sync(id, client=api),
    lambda api: update_content.sync(id, client=api, body=UpdateContent(title="Winter tyres"), if_match='"1"'),
    lambda api: delete_content.sync(id, client=api, if_match='"2"'),
    lambda api: get_usage.sync(client=api),
]
for call in calls:
    for key in ("wrong", os.environ["NO_SCOPE_KEY"], os.environ["SPENT_KEY"], os.environ["KEY"]):
        print(reason(call(client_for(key))))

many = check_insurance.sync(client=api, body=BulkRequest(["AB12CDE", "KR08NIL", "ZZ99ZZZ"]))
assert isinstance(many, BulkResult)
for entry in many.results:
    print(entry.code or ("insured" if entry.insured else "not insured"))
for mistake in (
    get_insurance.sync("AB12/CDE", client=api),
    check_insurance.sync(client=api, body=BulkRequest(cast(list[str], "AB12CDE"))),
):
    assert isinstance(mistake, Problem)
    print(mistake.errors[0].detail if mistake.errors else mistake.detail)
