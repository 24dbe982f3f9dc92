// A source that counts: a tick each interval, up to a last one or indefinitely.
package main

import (
	"encoding/json"
	"errors"
	"log"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"headrace.dev/go-clock/clockpb"
	"headrace.dev/go-clock/process"
)

type position struct {
	Number uint64 `json:"number"`
}

func main() {
	parent, err := process.Connect()
	if err != nil {
		log.Fatal(err)
	}
	if err := publish(parent); err != nil && !errors.Is(err, process.ErrStopped) {
		parent.Failed(err.Error(), true)
	}
}

func publish(parent *process.Parent) error {
	var settings struct {
		Interval float64 `json:"interval"`
		End      uint64  `json:"end"`
	}
	if err := json.Unmarshal(parent.Config, &settings); err != nil {
		return err
	}
	var at position
	if len(parent.History) > 0 {
		if err := json.Unmarshal(parent.History[0], &at); err != nil {
			return err
		}
	}
	parent.Ready()
	interval := time.Duration(settings.Interval * float64(time.Second))
	for settings.End == 0 || at.Number < settings.End {
		select {
		case <-parent.Stopped:
			return nil
		case <-time.After(interval):
		}
		at.Number++
		tick := &clockpb.Tick{Ts: timestamppb.Now(), Number: at.Number}
		if err := parent.Unit(process.Unit{Checkpoint: at, Messages: []process.Message{tick}}); err != nil {
			return err
		}
	}
	parent.Done()
	return nil
}
