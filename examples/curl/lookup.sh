#!/usr/bin/env bash
# Is this vehicle insured? ./lookup.sh AB12CDE
source "$(dirname "$0")/service.bash"

registration=$(jq -rn --arg text "$1" '$text | @uri')
# Only an error of the service itself has a code.
send "$API_ORIGIN/v1/vehicle/$registration/insurance" || jq -e .code "$work/answer" >/dev/null
jq -r --arg registration "$1" \
  '$registration + " " + (.code // if .insured then "insured" else "not insured" end)' "$work/answer"
