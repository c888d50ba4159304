// Verifies a signed answer with a saved key set: go run ./receipt receipt.jwt jwks.json https://api.example.com
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"

	"example.com/vehicles/service"
	"github.com/go-jose/go-jose/v4"
)

func main() {
	text := strings.TrimSpace(string(service.Must(os.ReadFile(os.Args[1]))))
	var keys jose.JSONWebKeySet
	if err := json.Unmarshal(service.Must(os.ReadFile(os.Args[2])), &keys); err != nil {
		log.Fatal(err)
	}
	// Never the algorithm that the receipt names.
	receipt := service.Must(jose.ParseSigned(text, []jose.SignatureAlgorithm{jose.ES256}))
	payload := service.Must(receipt.Verify(keys))
	var claims struct {
		Issuer  string `json:"iss"`
		Sandbox bool
		Answer  struct {
			Registration string
			Insured      *bool
		}
	}
	if err := json.Unmarshal(payload, &claims); err != nil {
		log.Fatal(err)
	}
	kind := receipt.Signatures[0].Protected.ExtraHeaders[jose.HeaderType]
	if claims.Issuer != os.Args[3] || kind != "vehicle-answer+jwt" || claims.Answer.Insured == nil {
		log.Fatal("This is no answer of this service about one insurance.")
	}
	if claims.Sandbox {
		fmt.Println("From the sandbox:")
	}
	fmt.Println(claims.Answer.Registration, service.Outcome(*claims.Answer.Insured))
}
