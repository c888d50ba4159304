#!/usr/bin/env bash
# Is this vehicle insured? ./lookup.sh AB12CDE
source "$(dirname "$0")/service.bash"

registration=$(jq -rn --arg text "$1" '$text | @uri')
send "$API_ORIGIN/v1/vehicle/$registration/insurance" || {
  status=$?
  # These two are answers. Any other error ends the program.
  jq -e '.code | IN("VEHICLE_NOT_FOUND", "INVALID_REGISTRATION")' "$work/answer" >/dev/null 2>&1 || exit "$status"
}
jq -r --arg registration "$1" \
  '$registration + " " + (.code // if .insured then "insured" else "not insured" end)' "$work/answer"
