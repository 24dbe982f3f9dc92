package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"
)

// ratesServer is a local API of exchange rates. Each answer has at most three days.
type ratesServer struct {
	*httptest.Server
	days []string
	// requests received so far.
	requests atomic.Int32
}

func startRatesServer(t *testing.T, days, status int) *ratesServer {
	server := &ratesServer{}
	first := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for day := range days {
		server.days = append(server.days, first.AddDate(0, 0, day).Format(time.DateOnly))
	}
	server.Server = httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		server.requests.Add(1)
		rates := map[string]map[string]float64{}
		for _, day := range server.days {
			if day >= request.URL.Path[1:11] && len(rates) < 3 {
				rates[day] = map[string]float64{"CHF": 0.9, "USD": 1.1}
			}
		}
		writer.WriteHeader(status)
		json.NewEncoder(writer).Encode(map[string]any{"base": "EUR", "rates": rates})
	}))
	t.Cleanup(server.Close)
	return server
}
