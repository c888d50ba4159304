// Is this vehicle insured? go run ./lookup AB12CDE
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/url"
	"os"

	"example.com/vehicles/service"
)

func main() {
	registration := os.Args[1]
	response, body := service.Send("/v1/vehicle/"+url.PathEscape(registration)+"/insurance", nil)
	var answer struct {
		Insured bool
		Code    string
	}
	err := json.Unmarshal(body, &answer)
	switch {
	case err == nil && response.StatusCode == 200:
		fmt.Println(registration, service.Outcome(answer.Insured))
	case answer.Code == "VEHICLE_NOT_FOUND" || answer.Code == "INVALID_REGISTRATION":
		fmt.Println(registration, answer.Code)
	default:
		log.Fatalf("%s: %s", response.Status, body)
	}
}
