"""Looks a list up, one registration on each line, and counts the outcomes: python fleet.py fleet.txt"""

import sys
import time
from collections import Counter
from pathlib import Path

from service import send

usage, _headers = send("/v1/usage")
size = usage["limits"]["registrationsPerBulk"]
unread = [line for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines() if line]
counts: Counter[str] = Counter()
for attempt in range(3):
    time.sleep(attempt)
    fleet, unread = unread, []
    for start in range(0, len(fleet), size):
        answer, _headers = send("/v1/vehicle/bulk-insurance", {"registrations": fleet[start : start + size]})
        for entry in answer["results"]:
            code = entry.get("code")
            if code == "LOOKUP_UNAVAILABLE":
                unread.append(entry["registration"])
            else:
                counts[code or ("insured" if entry["insured"] else "not insured")] += 1
if unread:
    counts["LOOKUP_UNAVAILABLE"] = len(unread)
for outcome, count in sorted(counts.items()):
    print(count, outcome)
