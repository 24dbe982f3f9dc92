// Publishes exchange rates, a unit for each day.
package main

import (
	"encoding/json"
	"errors"
	"log"
	"maps"
	"slices"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"connector/process"
	"connector/ratespb"
)

// settings of manifest.yaml.
type settings struct {
	URL   string
	Base  string
	Start string
	Poll  float64
}

// position is the newest published day, and whether it comes from the recording.
type position struct {
	Day      string `json:"day"`
	Recorded bool   `json:"recorded"`
}

func main() {
	log.SetFlags(0) // `connector` adds the time
	parent, err := process.Connect()
	if err != nil {
		log.Fatal(err)
	}
	if err := publish(parent); err != nil && parent.Context.Err() == nil {
		parent.Failed(err.Error(), !errors.As(err, &refused{}))
	}
}

// publish publishes all days after the newest published one, until the connector is stopped.
func publish(parent *process.Parent) error {
	var settings settings
	if err := json.Unmarshal(parent.Config, &settings); err != nil {
		return refused{err}
	}
	last := position{Recorded: settings.URL == ""}
	if last.Recorded {
		log.Print("reading recorded/rates.json, made-up rates: set CONNECTOR_URL in .env to read an API")
	}
	if len(parent.History) > 0 {
		if err := json.Unmarshal(parent.History[0], &last); err != nil {
			return refused{err}
		}
	}
	if last.Recorded != (settings.URL == "") {
		return refused{errMixed}
	}
	for {
		from := max(last.Day, settings.Start)
		answer, err := ratesFrom(parent.Context, from, settings)
		if err != nil {
			return err
		}
		for _, day := range slices.Sorted(maps.Keys(answer.Rates)) {
			if day <= last.Day || day < settings.Start {
				continue
			}
			rates, err := toRates(day, answer)
			if err != nil {
				return err
			}
			last.Day = day
			// Messages and checkpoint are published together, so the next run continues after this day.
			if err := parent.Publish(process.Unit{Checkpoint: last, Messages: rates}); err != nil {
				return err
			}
		}
		select {
		case <-parent.Context.Done():
			return nil
		case <-time.After(time.Duration(settings.Poll * float64(time.Second))):
		}
	}
}

var errMixed = errors.New("the topic has recorded rates and CONNECTOR_URL is now set, or it has rates of an API and " +
	"CONNECTOR_URL is no longer set. Both must not be in one topic. Set CONNECTOR_URL as before, or start again: remove " +
	"the folder .headrace, or raise topicVersion in manifest.yaml")

// toRates returns the messages of a day.
func toRates(day string, answer answer) ([]proto.Message, error) {
	noon, err := time.Parse(time.RFC3339, day+"T12:00:00Z")
	if err != nil {
		return nil, err
	}
	var rates []proto.Message
	for _, currency := range slices.Sorted(maps.Keys(answer.Rates[day])) {
		value := answer.Rates[day][currency]
		rates = append(rates, &ratespb.Rate{Ts: timestamppb.New(noon), Base: answer.Base, Currency: currency, Value: value})
	}
	return rates, nil
}
