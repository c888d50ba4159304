#!/usr/bin/env bash
# Looks a list up, one registration on each line, and counts the outcomes: ./fleet.sh fleet.txt
source "$(dirname "$0")/service.bash"

send "$API_ORIGIN/v1/usage"
size=$(jq .limits.registrationsPerBulk "$work/answer")

tr -d '\r' <"$1" | sed '/^$/d' >"$work/unread"
for attempt in 0 1 2; do
  sleep "$attempt"
  rm -f "$work"/part-*
  split -l "$size" "$work/unread" "$work/part-"
  : >"$work/unread"
  for part in "$work"/part-*; do
    [ -e "$part" ] || break
    jq -Rs '{ registrations: split("\n")[:-1] }' "$part" >"$work/body"
    send -H 'Content-Type: application/json' -d "@$work/body" "$API_ORIGIN/v1/vehicle/bulk-insurance"
    jq -r '.results[] | select(.code == "LOOKUP_UNAVAILABLE") | .registration' "$work/answer" >>"$work/unread"
    jq -r '.results[] | select(.code != "LOOKUP_UNAVAILABLE")
      | .code // if .insured then "insured" else "not insured" end' "$work/answer" >>"$work/outcomes"
  done
done
sed 's/.*/LOOKUP_UNAVAILABLE/' "$work/unread" >>"$work/outcomes"
LC_ALL=C sort "$work/outcomes" | uniq -c | sed 's/^ *//'
