module headrace.dev/scripted

go 1.23

require (
	google.golang.org/protobuf v1.36.12
	headrace.dev/go-clock v0.0.0
)

replace headrace.dev/go-clock => ../../../../../../examples/go-clock
