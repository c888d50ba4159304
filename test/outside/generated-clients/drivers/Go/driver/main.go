// One success and one error with the client of oapi-codegen.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"

	"example.com/fleet/vehicles"
)

func must[Value any](value Value, err error) Value {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func main() {
	ctx := context.Background()
	withKey := func(_ context.Context, request *http.Request) error {
		request.Header.Set("X-API-Key", os.Getenv("KEY"))
		return nil
	}
	api := must(vehicles.NewClientWithResponses(os.Getenv("ORIGIN")+"/v1", vehicles.WithRequestEditorFn(withKey)))

	body := vehicles.BulkRequest{Registrations: []string{"AB12CDE", "KR08NIL", "ZZ99ZZZ"}}
	for _, entry := range must(api.CheckInsuranceWithResponse(ctx, &vehicles.CheckInsuranceParams{}, body)).JSON200.Results {
		switch {
		case entry.Code != nil:
			fmt.Println(*entry.Code)
		case entry.Insured:
			fmt.Println("insured")
		default:
			fmt.Println("not insured")
		}
	}

	var problem vehicles.Problem
	unknown := must(api.GetInsuranceWithResponse(ctx, "ABI2CDE", &vehicles.GetInsuranceParams{}))
	if err := json.Unmarshal(unknown.Body, &problem); err != nil {
		log.Fatal(err)
	}
	fmt.Println(problem.Status, problem.Code, *problem.Suggestion)
}
