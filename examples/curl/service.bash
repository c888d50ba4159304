# Functions of the programs here, which source this file.
set -euo pipefail

work=$(mktemp -d)
end() {
  # With 22 curl says only the status of a response; its body says why.
  [ $? -ne 22 ] || cat "$work/answer" >&2
  rm -rf "$work"
}
trap end EXIT

# Sends a request, with the arguments of curl, and writes the response to $work/answer: a file, because curl would print
# the body of every attempt. It is repeated after 408, 429 and 5xx, as Retry-After says, if that is within two minutes: the
# end of an allowance may be weeks away. Use it only for requests that read.
send() {
  curl -sS --fail-with-body --retry 4 --retry-connrefused --retry-max-time 120 --max-time 60 -o "$work/answer" -H "X-API-Key: $API_KEY" "$@"
}
