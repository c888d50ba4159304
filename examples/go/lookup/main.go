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
	if err := json.Unmarshal(body, &answer); err != nil || (response.StatusCode != 200 && answer.Code == "") {
		log.Fatal(response.Status) // from API Gateway itself
	}
	if answer.Code == "" {
		answer.Code = service.Outcome(answer.Insured)
	}
	fmt.Println(registration, answer.Code)
}
