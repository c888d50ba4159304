// Prints the slug of every content item that the key can see, page by page: go run ./content
package main

import (
	"fmt"
	"regexp"

	"example.com/vehicles/service"
)

// The address is relative to the origin. The last page has none.
var next = regexp.MustCompile(`<([^>]+)>; rel="next"`)

func main() {
	path := "/v1/api/content?limit=20"
	for path != "" {
		var page struct{ Items []struct{ Slug string } }
		headers := service.Read(path, nil, &page)
		for _, item := range page.Items {
			fmt.Println(item.Slug)
		}
		path = ""
		if match := next.FindStringSubmatch(headers.Get("Link")); match != nil {
			path = match[1]
		}
	}
}
