# Functions for docs/operations.md#audit, for bash and zsh: `. docs/audit.sh`. They need jq, and the trail's files in the
# folder `audit`. A line is an event: time, who, what, on which table or file, and its error or version. Of a caller of
# another account CloudTrail names the account only.
#
# reads REGISTRATION: who read a vehicle. A scan, a query or a statement of PartiQL may have read it, so all are listed.
# changes KEY_ID or FILE: who wrote or deleted a record or a file.
events() {
  find audit -name '*.json.gz' -exec gunzip -c {} + | jq --raw-output --arg id "$1" "
    .Records[]
    # The values of a key are the only ones that CloudTrail logs. Operations have them in different places.
    | ([.requestParameters | .. | strings | select(. == \$id or contains(\"'\" + \$id + \"'\"))] != []) as \$names
    | select($2)
    | [ .eventTime, .userIdentity.arn // .userIdentity.accountId // .userIdentity.invokedBy, .eventName,
        (.requestParameters.key | strings) // ([.resources[]?.ARN // empty | split(\"/\") | last] | join(\",\")),
        .errorCode // .responseElements[\"x-amz-version-id\"]? // \"\" ]
    | join(\" \")" | sort
}
reads() { events "$1" '.readOnly and ($names or (.eventName | test("^(Scan|Query|ExecuteStatement|BatchExecuteStatement)$")))'; }
changes() { events "$1" '(.readOnly | not) and $names'; }
