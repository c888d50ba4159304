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
    if error.headers.get("Content-Type") != "application/problem+json":
        raise
    print(registration, json.load(error)["code"])
