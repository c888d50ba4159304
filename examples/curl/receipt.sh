#!/usr/bin/env bash
# Verifies a signed answer with a saved key set, by OpenSSL: ./receipt.sh receipt.jwt jwks.json https://api.example.com
source "$(dirname "$0")/service.bash"

decode() {
  local text
  text=$(tr -- '-_' '+/' <<<"$1")
  while ((${#text} % 4)); do text+='='; done
  base64 -d <<<"$text"
}
to_hex() { decode "$1" | od -An -v -tx1 | tr -d ' \n'; }
to_bytes() { printf '%b' "$(sed 's/../\\x&/g')"; }

IFS=. read -r header payload signature <<<"$(cat "$1")"
# The algorithm is fixed here: one that a receipt names can be forged.
decode "$header" | jq -e '.alg == "ES256" and .typ == "vehicle-answer+jwt"' >/dev/null || {
  echo 'This is no signed answer of the service.' >&2
  exit 1
}
kid=$(decode "$header" | jq -r .kid)
jq -e --arg kid "$kid" '.keys[] | select(.kid == $kid)' "$2" >"$work/key" || {
  echo "The key $kid is not in the key set." >&2
  exit 1
}
# The DER form of a P-256 key begins with these bytes; that of a signature is two integers.
{
  printf 3059301306072a8648ce3d020106082a8648ce3d03010703420004
  to_hex "$(jq -r .x "$work/key")"
  to_hex "$(jq -r .y "$work/key")"
} | to_bytes >"$work/key.der"
bytes=$(to_hex "$signature")
printf 'asn1=SEQUENCE:s\n[s]\nr=INTEGER:0x%s\ns=INTEGER:0x%s\n' "${bytes:0:64}" "${bytes:64}" >"$work/asn1"
openssl asn1parse -genconf "$work/asn1" -noout -out "$work/signature"
printf %s "$header.$payload" |
  openssl dgst -sha256 -keyform DER -verify "$work/key.der" -signature "$work/signature" >&2

decode "$payload" | jq -er --arg issuer "$3" '
  if .iss != $issuer then error("another issuer: \(.iss)") else . end
  | if .sandbox then "From the sandbox:" else empty end,
    if .answer.insured == null then error("no answer about one insurance") else .answer.registration + " "
      + if .answer.insured then "insured" else "not insured" end end'
