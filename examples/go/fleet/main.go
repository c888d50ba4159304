// Looks a list up, one registration on each line, and counts the outcomes: go run ./fleet fleet.txt
package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"example.com/vehicles/service"
)

type bulkAnswer struct {
	Results []struct {
		Registration string
		Insured      bool
		Code         string
	}
}

func isLineEnd(character rune) bool { return character == '\n' || character == '\r' }

func main() {
	var usage struct {
		Limits struct{ RegistrationsPerBulk int }
	}
	service.Read("/v1/usage", nil, &usage)
	unread := strings.FieldsFunc(string(service.Must(os.ReadFile(os.Args[1]))), isLineEnd)
	counts := map[string]int{}
	for attempt := range 3 {
		time.Sleep(time.Duration(attempt) * time.Second)
		fleet := unread
		unread = nil
		for part := range slices.Chunk(fleet, usage.Limits.RegistrationsPerBulk) {
			var answer bulkAnswer
			service.Read("/v1/vehicle/bulk-insurance", map[string]any{"registrations": part}, &answer)
			for _, entry := range answer.Results {
				switch entry.Code {
				case "":
					counts[service.Outcome(entry.Insured)]++
				case "LOOKUP_UNAVAILABLE":
					unread = append(unread, entry.Registration)
				default:
					counts[entry.Code]++
				}
			}
		}
	}
	if len(unread) > 0 {
		counts["LOOKUP_UNAVAILABLE"] = len(unread)
	}
	for _, outcome := range slices.Sorted(maps.Keys(counts)) {
		fmt.Println(counts[outcome], outcome)
	}
}
