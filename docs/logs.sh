# Functions for docs/runbook.md, for bash and zsh: `. docs/logs.sh`. They need AWS_REGION.
#
# resources TYPE PREFIX: the names of the stack's resources of a type whose logical ids begin with PREFIX.
# logs PART FILTER: lines of the log groups whose name in the stack begins with PART; of all when it is empty.
# query TEXT: queries all log groups with CloudWatch Logs Insights, for 0.005 USD per GB of that hour's logs.
#
# Logs are read of the hour before now, or before UNTIL, such as UNTIL=$(date -d '2026-11-20 10:00Z' +%s), on a Mac
# UNTIL=$(date -juf '%F %H:%M' '2026-11-20 10:00' +%s).
STACK=vehicle-verification-prod
UNTIL=
resources() {
  aws cloudformation list-stack-resources --stack-name "$STACK" --output text --query \
    "StackResourceSummaries[?ResourceType=='AWS::$1' && starts_with(LogicalResourceId, '$2')].PhysicalResourceId"
}
logs() {
  for group in $(resources Logs::LogGroup "$1"); do
    aws logs filter-log-events --log-group-name "$group" --filter-pattern "$2" \
      --start-time "$((${UNTIL:-$(date +%s)} - 3600))000" --end-time "${UNTIL:-$(date +%s)}000" --query 'events[].[message]' --output text
  done
}
query() {
  id=$(aws logs start-query --log-group-names $(resources Logs::LogGroup '') --query-string "$1" \
    --start-time $((${UNTIL:-$(date +%s)} - 3600)) --end-time ${UNTIL:-$(date +%s)} --query queryId --output text)
  while true; do
    case $(aws logs get-query-results --query-id "$id" --query status --output text) in
      Complete) break ;;
      Scheduled | Running | Unknown) sleep 1 ;;
      *) echo 'the query was not completed' >&2; return 1 ;;
    esac
  done
  aws logs get-query-results --query-id "$id" --output text \
    --query "results[*].[join(' ', @[?field != '@ptr'].join('=', [field, value]))]"
}
