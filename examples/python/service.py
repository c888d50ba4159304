"""Requests of the service that only read, so that each may be repeated."""

import http.client
import json
import os
import random
import time
import urllib.error
import urllib.request

ATTEMPTS = 5
# The end of an allowance may be weeks away.
LONGEST_WAIT_SECONDS = 120


def send(path: str, body: object = None) -> tuple[dict, http.client.HTTPMessage]:
    """The JSON and the headers of the response to a GET, or with a body to a POST."""
    request = urllib.request.Request(
        os.environ["API_ORIGIN"] + path,
        data=None if body is None else json.dumps(body).encode(),
        headers={"X-API-Key": os.environ["API_KEY"], "Content-Type": "application/json"},
    )
    for attempt in range(1, ATTEMPTS + 1):
        wait = 1
        try:
            with urllib.request.urlopen(request, timeout=15) as response:
                return json.load(response), response.headers
        except urllib.error.HTTPError as error:
            wait = int(error.headers.get("Retry-After", 1))
            may_pass = (error.code == 429 or error.code >= 500) and wait <= LONGEST_WAIT_SECONDS
            if attempt == ATTEMPTS or not may_pass:
                # The status alone does not say why; the body does.
                error.msg = error.read().decode()
                raise
        except (OSError, http.client.HTTPException):
            if attempt == ATTEMPTS:
                raise
        time.sleep(wait + random.random() * 2 ** (attempt - 1))
    raise AssertionError("the last attempt returns or raises")
