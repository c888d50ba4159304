"""One success and one error with the client of openapi-python-client."""

import os

from vehicles import AuthenticatedClient
from vehicles.api.vehicles import check_insurance, get_insurance
from vehicles.models import BulkRequest, BulkResult, Problem

api = AuthenticatedClient(os.environ["ORIGIN"] + "/v1", os.environ["KEY"], raise_on_unexpected_status=True)

many = check_insurance.sync(client=api, body=BulkRequest(["AB12CDE", "KR08NIL", "ZZ99ZZZ"]))
assert isinstance(many, BulkResult)
for entry in many.results:
    print(entry.code or ("insured" if entry.insured else "not insured"))

unknown = get_insurance.sync("ABI2CDE", client=api)
assert isinstance(unknown, Problem)
print(unknown.status, unknown.code, unknown.suggestion)
