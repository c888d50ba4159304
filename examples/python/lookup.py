"""Is this vehicle insured? python lookup.py AB12CDE"""

import json
import sys
import urllib.error
import urllib.parse

from service import send

registration = sys.argv[1]
try:
    answer, _headers = send(f"/v1/vehicle/{urllib.parse.quote(registration, safe='')}/insurance")
    print(registration, "insured" if answer["insured"] else "not insured")
except urllib.error.HTTPError as error:
    # API Gateway's own errors have no code.
    is_problem = error.headers.get("Content-Type") == "application/problem+json"
    code = json.loads(error.msg)["code"] if is_problem else None
    # These two are answers. Any other error ends the program.
    if code not in ("VEHICLE_NOT_FOUND", "INVALID_REGISTRATION"):
        raise
    print(registration, code)
