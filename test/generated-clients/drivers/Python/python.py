"""Drives every operation with the client of openapi-python-client."""

import os
from collections.abc import Callable

from vehicle_verification_api_client import AuthenticatedClient
from vehicle_verification_api_client.api.compliance import bulk_compliance, compliance
from vehicle_verification_api_client.api.content import (
    create_content, delete_content, list_content, read_content, update_content,
)
from vehicle_verification_api_client.api.usage import usage
from vehicle_verification_api_client.api.vehicles import bulk_insurance, vehicle_insurance
from vehicle_verification_api_client.models import (
    BulkComplianceRequest, BulkRequest, ContentItem, CreateContent, UpdateContent,
    VehicleInsurance, VehicleInsuranceResponse404,
)


def client_for(key: str) -> AuthenticatedClient:
    return AuthenticatedClient(base_url=os.environ["ORIGIN"] + "/v1", token=key, raise_on_unexpected_status=True)


def reason(answer: object) -> str:
    return f"{getattr(answer, 'status', '')} {getattr(answer, 'code', 'none')}".strip()


def unknown_vehicle(registration: str) -> str:
    """Type-checks only while `status` narrows to the one error of that status."""
    answer = vehicle_insurance.sync(registration, client=api)
    if answer is None or isinstance(answer, VehicleInsurance) or answer.status != 404:
        return reason(answer)
    not_found: VehicleInsuranceResponse404 = answer
    return f"404 {not_found.code} {not_found.suggestion}" if not_found.code == "VEHICLE_NOT_FOUND" else "404"


def item(slug: str = "tyres", title: str = "Tyres") -> CreateContent:
    return CreateContent(title=title, content="When to fit them.", domain="python.example", slug=slug)


api = client_for(os.environ["KEY"])
created = create_content.sync(client=api, body=item(), idempotency_key="python")
assert isinstance(created, ContentItem)
id = created.id
title, taken = UpdateContent(title="T"), UpdateContent(domain="news.example", slug="motoring-news-1")

print(reason(vehicle_insurance.sync("!", client=api)))
print(unknown_vehicle("ABI2CDE"))
for failure in (
    bulk_insurance.sync(client=api, body=BulkRequest([])),
    compliance.sync("!", client=api),
    compliance.sync("VE24UNK", client=api),
    bulk_compliance.sync(client=api, body=BulkComplianceRequest([])),
    list_content.sync(client=api, limit=0, offset=-1),
    create_content.sync(client=api, body=item(slug="No slug")),
    create_content.sync(client=api, body=item()),
    create_content.sync(client=api, body=item(title="T"), idempotency_key="python"),
    read_content.sync("none", client=api),
    update_content.sync(id, client=api, body=UpdateContent(title="")),
    update_content.sync("none", client=api, body=title),
    update_content.sync(id, client=api, body=taken),
    update_content.sync(id, client=api, body=title, if_match='"7"'),
    delete_content.sync("none", client=api),
    delete_content.sync(id, client=api, if_match='"7"'),
):
    print(reason(failure))

calls: list[Callable[[AuthenticatedClient], object]] = [
    lambda api: vehicle_insurance.sync("AB12CDE", client=api),
    lambda api: bulk_insurance.sync(client=api, body=BulkRequest(["AB12CDE"])),
    lambda api: compliance.sync("AB12CDE", client=api),
    lambda api: bulk_compliance.sync(client=api, body=BulkComplianceRequest(["AB12CDE"])),
    lambda api: list_content.sync(client=api, domain="python.example"),
    lambda api: create_content.sync(client=api, body=item(), idempotency_key="python"),
    lambda api: read_content.sync(id, client=api),
    lambda api: update_content.sync(id, client=api, body=UpdateContent(title="Winter tyres"), if_match='"1"'),
    lambda api: delete_content.sync(id, client=api, if_match='"2"'),
    lambda api: usage.sync(client=api),
]
for call in calls:
    for key in ("wrong", os.environ["NO_SCOPE_KEY"], os.environ["SPENT_KEY"], os.environ["KEY"]):
        print(reason(call(client_for(key))))
