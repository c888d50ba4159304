// Drives every operation with the client of oapi-codegen.
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

type client = *vehicles.ClientWithResponses

// answer is what every response of the client has.
type answer interface {
	StatusCode() int
	GetBody() []byte
}

var ctx = context.Background()

func clientFor(key string) client {
	withKey := func(_ context.Context, request *http.Request) error {
		request.Header.Set("X-API-Key", key)
		return nil
	}
	return must(vehicles.NewClientWithResponses(os.Getenv("ORIGIN")+"/v1", vehicles.WithRequestEditorFn(withKey)))
}

func must[Value any](value Value, err error) Value {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func problemOf(response answer) (problem vehicles.Problem) {
	if err := json.Unmarshal(response.GetBody(), &problem); err != nil {
		log.Fatal(err)
	}
	return problem
}

func reason(response answer) string {
	if response.StatusCode() < 400 {
		return "none"
	}
	problem := problemOf(response)
	if problem.Suggestion != nil {
		return fmt.Sprint(problem.Status, " ", problem.Code, " ", *problem.Suggestion)
	}
	return fmt.Sprint(problem.Status, " ", problem.Code)
}

func insurance(api client, registration string) *vehicles.GetInsuranceResponse {
	return must(api.GetInsuranceWithResponse(ctx, registration, &vehicles.GetInsuranceParams{}))
}

func check(api client, registrations ...string) *vehicles.CheckInsuranceResponse {
	body := vehicles.BulkRequest{Registrations: append([]string{}, registrations...)}
	return must(api.CheckInsuranceWithResponse(ctx, body))
}

func compliance(api client, registration string) answer {
	return must(api.GetComplianceWithResponse(ctx, registration))
}

func checkCompliance(api client, registrations ...string) answer {
	body := vehicles.BulkComplianceRequest{Registrations: append([]string{}, registrations...)}
	return must(api.CheckComplianceWithResponse(ctx, body))
}

func list(api client, params vehicles.ListContentParams) answer {
	return must(api.ListContentWithResponse(ctx, &params))
}

func create(api client, slug, title string, key *string) *vehicles.CreateContentResponse {
	body := vehicles.CreateContent{Title: title, Content: "When.", Domain: "go.example", Slug: slug}
	return must(api.CreateContentWithResponse(ctx, &vehicles.CreateContentParams{IdempotencyKey: key}, body))
}

func matching(version int) *string {
	text := fmt.Sprintf("%q", fmt.Sprint(version))
	return &text
}

func update(api client, id string, version int, body vehicles.UpdateContent) answer {
	return must(api.UpdateContentWithResponse(ctx, id, &vehicles.UpdateContentParams{IfMatch: matching(version)}, body))
}

func remove(api client, id string, version int) answer {
	return must(api.DeleteContentWithResponse(ctx, id, &vehicles.DeleteContentParams{IfMatch: matching(version)}))
}

func main() {
	api := clientFor(os.Getenv("KEY"))
	once, domain, taken, slug := "go", "go.example", "news.example", "motoring-news-1"
	limit, offset, empty, title, winter := 0, -1, "", "T", "Winter tyres"
	id := create(api, "tyres", "Tyres", &once).JSON201.Id
	read := func(api client, id string) answer { return must(api.GetContentWithResponse(ctx, id)) }

	for _, failure := range []answer{
		insurance(api, "!"),
		insurance(api, "ABI2CDE"),
		check(api),
		compliance(api, "!"),
		compliance(api, "VE24UNK"),
		checkCompliance(api),
		list(api, vehicles.ListContentParams{Limit: &limit, Offset: &offset}),
		create(api, "No slug", "Tyres", nil),
		create(api, "tyres", "Tyres", nil),
		create(api, "tyres", "T", &once),
		read(api, "none"),
		update(api, id, 1, vehicles.UpdateContent{Title: &empty}),
		update(api, "none", 1, vehicles.UpdateContent{Title: &title}),
		update(api, id, 1, vehicles.UpdateContent{Domain: &taken, Slug: &slug}),
		update(api, id, 7, vehicles.UpdateContent{Title: &title}),
		remove(api, "none", 1),
		remove(api, id, 7),
	} {
		fmt.Println(reason(failure))
	}

	for _, call := range []func(client) answer{
		func(api client) answer { return insurance(api, "AB12CDE") },
		func(api client) answer { return check(api, "AB12CDE") },
		func(api client) answer { return compliance(api, "AB12CDE") },
		func(api client) answer { return checkCompliance(api, "AB12CDE") },
		func(api client) answer { return list(api, vehicles.ListContentParams{Domain: &domain}) },
		func(api client) answer { return create(api, "tyres", "Tyres", &once) },
		func(api client) answer { return read(api, id) },
		func(api client) answer { return update(api, id, 1, vehicles.UpdateContent{Title: &winter}) },
		func(api client) answer { return remove(api, id, 2) },
		func(api client) answer { return must(api.GetUsageWithResponse(ctx)) },
	} {
		for _, key := range []string{"wrong", os.Getenv("NO_SCOPE_KEY"), os.Getenv("SPENT_KEY"), os.Getenv("KEY")} {
			fmt.Println(reason(call(clientFor(key))))
		}
	}

	for _, entry := range check(api, "AB12CDE", "KR08NIL", "ZZ99ZZZ").JSON200.Results {
		switch {
		case entry.Code != nil:
			fmt.Println(*entry.Code)
		case entry.Insured:
			fmt.Println("insured")
		default:
			fmt.Println("not insured")
		}
	}
	fmt.Println(problemOf(insurance(api, "AB12/CDE")).Detail)
}
