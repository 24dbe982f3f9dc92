package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// answer has the fields of the API's answer that are used.
type answer struct {
	Base string
	// Rates by day, then by currency.
	Rates map[string]map[string]float64
}

// refused is an error that a retry does not fix.
type refused struct{ error }

//go:embed recorded/rates.json
var recorded []byte

var client = http.Client{Timeout: 30 * time.Second}

// ratesFrom requests the rates of a day and of all later days.
func ratesFrom(ctx context.Context, day string, settings settings) (rates answer, err error) {
	if settings.URL == "" {
		return rates, json.Unmarshal(recorded, &rates)
	}
	url := fmt.Sprintf("%s/%s..?base=%s", settings.URL, day, settings.Base)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return rates, refused{err}
	}
	response, err := client.Do(request)
	if err != nil {
		return rates, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		err := fmt.Errorf("%s answers with %s", url, response.Status)
		if isTemporary(response.StatusCode) {
			return rates, err
		}
		return rates, refused{err}
	}
	if err := json.NewDecoder(response.Body).Decode(&rates); err != nil || rates.Rates == nil {
		return rates, fmt.Errorf("%s does not answer with rates: %v", url, err)
	}
	return rates, nil
}

func isTemporary(status int) bool {
	return status >= 500 || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout
}
