"""Prints the slug of every content item that the key can see, page by page: python content.py"""

import re

from service import send

path = "/v1/api/content?limit=20"
while path:
    page, headers = send(path)
    for item in page["items"]:
        print(item["slug"])
    # Relative to the origin; absent from the last page.
    following = re.search(r'<([^>]+)>; rel="next"', headers.get("Link", ""))
    path = following and following[1]
