module headrace.dev/event-reader

go 1.23
