"""Drives every operation with httpx; every body is one of the models of datamodel-code-generator."""

import os
from collections.abc import Callable
from typing import Any, TypeVar

import httpx
from pydantic import BaseModel, ValidationError

import models_v2 as models

Answer = TypeVar("Answer", bound=BaseModel)


def client_for(key: str) -> httpx.Client:
    return httpx.Client(base_url=os.environ["ORIGIN"] + "/v1", headers={"X-API-Key": key})


def ask(kind: type[Answer] | None, method: str, path: str, *, api: httpx.Client, body: BaseModel | None = None,
        **options: Any) -> Answer | models.Problem | None:
    json = None if body is None else body.model_dump(mode="json", exclude_unset=True)
    response = api.request(method, path, json=json, **options)
    if response.is_error:
        return models.Problem.model_validate_json(response.content)
    return None if kind is None else kind.model_validate_json(response.content)


def reason(answer: object) -> str:
    if not isinstance(answer, models.Problem):
        return "none"
    return f"{answer.status} {answer.code} {answer.suggestion or ''}".strip()


def matching(version: int) -> dict[str, str]:
    return {"If-Match": f'"{version}"'}


def create(api: httpx.Client, slug: str = "tyres", title: str = "Tyres", key: str = "models") -> Any:
    once = {"Idempotency-Key": key} if key else {}
    # Not `CreateContent(…)`: the model rejects a wrong slug before it is sent.
    body = models.CreateContent.model_construct(title=title, content="When.", domain="models.example", slug=slug)
    return ask(models.ContentItem, "POST", "/api/content", api=api, body=body, headers=once)


def check(api: httpx.Client, *registrations: str) -> Any:
    body = models.BulkRequest.model_construct(registrations=list(registrations))
    return ask(models.BulkResult, "POST", "/vehicle/bulk-insurance", api=api, body=body)


def check_compliance(api: httpx.Client, *registrations: str) -> Any:
    body = models.BulkComplianceRequest.model_construct(registrations=list(registrations))
    return ask(models.BulkComplianceResult, "POST", "/vehicle/bulk-compliance", api=api, body=body)


def update(api: httpx.Client, id: str, version: int, **changes: Any) -> Any:
    body = models.UpdateContent.model_construct(**changes)
    return ask(models.ContentItem, "PUT", f"/api/content/{id}", api=api, body=body, headers=matching(version))


def get(api: httpx.Client, kind: type[Answer], path: str, **query: str | int) -> Any:
    return ask(kind, "GET", path, api=api, params=query)


api = client_for(os.environ["KEY"])
id = create(api).id

for failure in (
    get(api, models.VehicleInsurance, "/vehicle/!/insurance"),
    get(api, models.VehicleInsurance, "/vehicle/ABI2CDE/insurance"),
    check(api),
    get(api, models.ComplianceVerdict, "/compliance/!"),
    get(api, models.ComplianceVerdict, "/compliance/VE24UNK"),
    check_compliance(api),
    get(api, models.ContentPage, "/api/content", limit=0, offset=-1),
    create(api, slug="No slug", key=""),
    create(api, key=""),
    create(api, title="T"),
    get(api, models.ContentItem, "/api/content/none"),
    update(api, id, 1, title=""),
    update(api, "none", 1, title="T"),
    update(api, id, 1, domain="news.example", slug="motoring-news-1"),
    update(api, id, 7, title="T"),
    ask(None, "DELETE", "/api/content/none", api=api),
    ask(None, "DELETE", f"/api/content/{id}", api=api, headers=matching(7)),
):
    print(reason(failure))

calls: list[Callable[[httpx.Client], object]] = [
    lambda api: get(api, models.VehicleInsurance, "/vehicle/AB12CDE/insurance"),
    lambda api: check(api, "AB12CDE"),
    lambda api: get(api, models.ComplianceVerdict, "/compliance/AB12CDE"),
    lambda api: check_compliance(api, "AB12CDE"),
    lambda api: get(api, models.ContentPage, "/api/content", domain="models.example"),
    lambda api: create(api),
    lambda api: get(api, models.ContentItem, f"/api/content/{id}"),
    lambda api: update(api, id, 1, title="Winter tyres"),
    lambda api: ask(None, "DELETE", f"/api/content/{id}", api=api, headers=matching(2)),
    lambda api: get(api, models.UsageReport, "/usage"),
]
for call in calls:
    for key in ("wrong", os.environ["NO_SCOPE_KEY"], os.environ["SPENT_KEY"], os.environ["KEY"]):
        print(reason(call(client_for(key))))

for entry in check(api, "AB12CDE", "KR08NIL", "ZZ99ZZZ").results:
    print(entry.code or ("insured" if entry.insured else "not insured"))
print(get(api, models.VehicleInsurance, "/vehicle/AB12%2FCDE/insurance").detail)
try:
    models.BulkRequest(registrations="AB12CDE")  # type: ignore[arg-type]
except ValidationError as error:
    print(error.errors()[0]["msg"])
