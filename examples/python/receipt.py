"""Verifies a signed answer with a saved key set: python receipt.py receipt.jwt jwks.json https://api.example.com"""

import sys
from pathlib import Path

import jwt

receipt, keys, issuer = Path(sys.argv[1]).read_text().strip(), Path(sys.argv[2]).read_text(), sys.argv[3]
header = jwt.get_unverified_header(receipt)
if header["typ"] != "vehicle-answer+jwt":
    sys.exit("This is signed for another purpose.")
key = jwt.PyJWKSet.from_json(keys)[header["kid"]]
# Never the algorithm that the receipt names.
claims = jwt.decode(receipt, key, algorithms=["ES256"], issuer=issuer, options={"verify_aud": False})
answer = claims["answer"]
outcome = "insured" if answer["insured"] else "not insured"
if claims.get("sandbox"):
    print("From the sandbox:")
print(answer["registration"], outcome)
