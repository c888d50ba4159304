"""One success and one error with httpx and the models of datamodel-code-generator."""

import os

import httpx
import models_v2 as models

api = httpx.Client(base_url=os.environ["ORIGIN"] + "/v1", headers={"X-API-Key": os.environ["KEY"]})

body = models.BulkRequest.model_validate({"registrations": ["AB12CDE", "KR08NIL", "ZZ99ZZZ"]})
many = api.post("/vehicle/bulk-insurance", json=body.model_dump(mode="json", exclude_unset=True))
for entry in models.BulkResult.model_validate_json(many.content).results:
    print(entry.code or ("insured" if entry.insured else "not insured"))

unknown = models.Problem.model_validate_json(api.get("/vehicle/ABI2CDE/insurance").content)
print(unknown.status, unknown.code, unknown.suggestion)
