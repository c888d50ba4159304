// Package service sends requests that only read, so that each may be repeated.
package service

import (
	"bytes"
	"encoding/json"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"time"
)

const attempts = 5

var client = http.Client{Timeout: 15 * time.Second}

// Must ends the program on an error.
func Must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

// Outcome says what an answer says.
func Outcome(insured bool) string {
	if insured {
		return "insured"
	}
	return "not insured"
}

func attempt(path string, body any) (*http.Response, []byte, error) {
	method, text := http.MethodGet, []byte(nil)
	if body != nil {
		method, text = http.MethodPost, Must(json.Marshal(body))
	}
	request := Must(http.NewRequest(method, os.Getenv("API_ORIGIN")+path, bytes.NewReader(text)))
	request.Header.Set("X-API-Key", os.Getenv("API_KEY"))
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	return response, answer, err
}

// Send gets the response to a GET, or with a body to a POST. The caller looks at its status.
func Send(path string, body any) (*http.Response, []byte) {
	for number := 1; ; number++ {
		response, answer, err := attempt(path, body)
		isTransient := err != nil || response.StatusCode == http.StatusTooManyRequests || response.StatusCode >= 500
		if !isTransient || number == attempts {
			return Must(response, err), answer
		}
		seconds := 1
		if err == nil {
			if sent, noNumber := strconv.Atoi(response.Header.Get("Retry-After")); noNumber == nil {
				seconds = sent
			}
		}
		jitter := rand.N(time.Second << (number - 1))
		time.Sleep(time.Duration(seconds)*time.Second + jitter)
	}
}

// Read decodes the answer of a request that must succeed, and gives its headers.
func Read(path string, body any, into any) http.Header {
	response, answer := Send(path, body)
	if response.StatusCode != http.StatusOK {
		log.Fatalf("%s: %s", response.Status, answer)
	}
	if err := json.Unmarshal(answer, into); err != nil {
		log.Fatal(err)
	}
	return response.Header
}
