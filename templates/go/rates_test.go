package main

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"connector/ratespb"
)

func TestEachCurrencyOfADayIsAMessage(t *testing.T) {
	day := answer{Base: "EUR", Rates: map[string]map[string]float64{"2026-01-05": {"USD": 1.1619, "CHF": 0.93794}}}
	messages, err := toRates("2026-01-05", day)
	if err != nil || len(messages) != 2 {
		t.Fatal(messages, err)
	}
	chf := messages[0].(*ratespb.Rate)
	if chf.Base != "EUR" || chf.Currency != "CHF" || chf.Value != 0.93794 {
		t.Error(chf)
	}
	if at := chf.Ts.AsTime().String(); at != "2026-01-05 12:00:00 +0000 UTC" {
		t.Error(at)
	}
}

func TestTheRecordedAnswerIsReadWithoutAURL(t *testing.T) {
	rates, err := ratesFrom(t.Context(), "2026-01-01", settings{})
	if err != nil || rates.Base != "EUR" || rates.Rates["2026-01-05"]["CHF"] == 0 {
		t.Error(rates, err)
	}
}

func TestARequestReturnsTheRatesOfADayAndOfLaterDays(t *testing.T) {
	server := startRatesServer(t, 10, 200)
	rates, err := ratesFrom(t.Context(), "2026-01-08", settings{URL: server.URL, Base: "EUR"})
	if err != nil {
		t.Fatal(err)
	}
	if days := slices.Sorted(maps.Keys(rates.Rates)); !slices.Equal(days, server.days[7:]) {
		t.Error(days)
	}
}

func TestATemporaryErrorIsRetriedAndARefusalIsNot(t *testing.T) {
	for status, isRefused := range map[int]bool{503: false, 429: false, 404: true, 401: true} {
		server := startRatesServer(t, 1, status)
		_, err := ratesFrom(t.Context(), "2026-01-01", settings{URL: server.URL})
		if err == nil || errors.As(err, &refused{}) != isRefused {
			t.Error(status, err)
		}
	}
}
