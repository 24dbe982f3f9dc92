// Reads the records of a topic over SSE with the standard library, and prints the seq of each. Reconnects after a cut with
// the id of the last event, as the HTML standard requires.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
)

type record struct {
	Topic string `json:"topic"`
	Seq   string `json:"seq"`
	Value struct {
		Number string `json:"number"`
	} `json:"value"`
}

func main() {
	url, key := os.Args[1], os.Args[2]
	count, err := strconv.Atoi(os.Args[3])
	if err != nil {
		fail(err)
	}
	lastID := ""
	for left := count; left > 0; {
		left = read(url, key, &lastID, left)
	}
}

// read follows one connection until it ends or nothing is left to be read, and returns what is left.
func read(url, key string, lastID *string, left int) int {
	request, err := http.NewRequest("GET", url, nil)
	if err != nil {
		fail(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Accept", "text/event-stream")
	if *lastID != "" {
		request.Header.Set("Last-Event-ID", *lastID)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return left
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "text/event-stream; charset=utf-8" {
		body, _ := io.ReadAll(response.Body)
		fail(fmt.Errorf("status %d: %s", response.StatusCode, body))
	}
	event, id := "", ""
	data := []string{}
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	for left > 0 && lines.Scan() {
		line := lines.Text()
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			*lastID = id
			if event == "" && len(data) > 0 {
				printRecord(strings.Join(data, "\n"))
				left--
			} else if event == "gap" || event == "stream_error" {
				fail(fmt.Errorf("%s: %s", event, strings.Join(data, "\n")))
			}
			event, data = "", nil
		case field == "event":
			event = value
		case field == "id":
			id = value
		case field == "data":
			data = append(data, value)
		}
	}
	return left
}

func printRecord(data string) {
	var found record
	if err := json.Unmarshal([]byte(data), &found); err != nil {
		fail(err)
	}
	if found.Seq != found.Value.Number {
		fail(fmt.Errorf("record %s holds %s", found.Seq, found.Value.Number))
	}
	fmt.Println(found.Seq)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
