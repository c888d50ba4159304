#!/usr/bin/env bash
# Prints the slug of every content item that the key can see, page by page: ./content.sh
source "$(dirname "$0")/service.bash"

path='/v1/api/content?limit=20'
while [ -n "$path" ]; do
  send -D "$work/headers" "$API_ORIGIN$path"
  jq -r '.items[].slug' "$work/answer"
  # Relative to the origin; absent from the last page.
  path=$(sed -n 's/^link:.*<\([^>]*\)>; rel="next".*/\1/Ip' "$work/headers")
done
