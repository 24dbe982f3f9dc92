package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

const connector = "node_modules/.bin/connector"

type record struct {
	Topic string
	Seq   string
	Value struct{ Ts, Currency string }
}

// Runs the connector as `npm start` does, on a queue of its own.
func TestEveryRateIsPublishedOnceAlthoughTheRunIsKilled(t *testing.T) {
	server := startRatesServer(t, 60, 200)
	queue := "embedded:" + t.TempDir()
	start := func() *exec.Cmd {
		run := exec.Command(connector, "run", "--queue", queue, "--set", "url="+server.URL,
			"--set", "start="+server.days[0], "--set", "poll=0.05")
		if err := run.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { run.Process.Kill() })
		return run
	}
	topic := readJSON(t, "register", "--queue", queue)[0].Topic

	for _, requests := range []int32{8, 20} {
		run := start()
		waitFor(t, func() bool { return server.requests.Load() >= requests })
		run.Process.Kill()
		if run.Wait(); run.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
			t.Fatal("the run ended before it was killed: ", run.ProcessState)
		}
	}
	run := start()
	records := []record{}
	waitFor(t, func() bool {
		records = readJSON(t, "read", topic, "--order", "asc", "--queue", queue)
		return len(records) >= 2*len(server.days)
	})
	run.Process.Signal(os.Interrupt)
	if err := run.Wait(); err != nil {
		t.Error(err)
	}

	records = readJSON(t, "read", topic, "--order", "asc", "--queue", queue)
	if len(records) != 2*len(server.days) {
		t.Error(len(records), "records")
	}
	for place, record := range records {
		published := fmt.Sprint(record.Seq, " ", record.Value.Ts[:10], " ", record.Value.Currency)
		wanted := fmt.Sprint(place, " ", server.days[place/2], " ", []string{"CHF", "USD"}[place%2])
		if published != wanted {
			t.Fatalf("record %d is %s instead of %s", place, published, wanted)
		}
	}
}

func waitFor(t *testing.T, condition func() bool) {
	for end := time.Now().Add(time.Minute); !condition(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited for a minute")
		}
	}
}

func readJSON(t *testing.T, arguments ...string) (records []record) {
	command := exec.Command(connector, append(arguments, "--json")...)
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(output) {
		var one record
		if err := json.Unmarshal(line, &one); err != nil {
			t.Fatal(err)
		}
		records = append(records, one)
	}
	return records
}
