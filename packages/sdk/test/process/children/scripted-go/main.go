// Writes the units of a script that follow the one that was committed last.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"log"
	"os"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"headrace.dev/go-clock/process"
)

type script struct {
	Descriptors []byte
	OneByOne    bool
	Units       []struct {
		Checkpoint json.RawMessage
		Messages   []struct {
			Name string
			JSON json.RawMessage
		}
		RevertTo json.RawMessage
		Final    json.RawMessage
	}
}

func main() {
	parent, err := process.Connect()
	if err != nil {
		log.Fatal(err)
	}
	if err := publish(parent, os.Args[1]); err != nil && !errors.Is(err, process.ErrStopped) {
		log.Fatal(err)
	}
}

func publish(parent *process.Parent, file string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var script script
	if err := json.Unmarshal(content, &script); err != nil {
		return err
	}
	files, err := schemaOf(script.Descriptors)
	if err != nil {
		return err
	}
	first := 0
	for place, unit := range script.Units {
		if len(parent.History) > 0 && bytes.Equal(unit.Checkpoint, parent.History[0]) {
			first = place + 1
		}
	}
	parent.Ready()
	replacing := 0
	for place := first; place < len(script.Units); place++ {
		unit := script.Units[place]
		if unit.RevertTo != nil {
			replacing = place + 1
		}
		if script.OneByOne && replacing <= first+int(parent.Committed()) {
			if err := parent.WaitForCommitted(uint64(place - first)); err != nil {
				return err
			}
		}
		var messages []process.Message
		for _, message := range unit.Messages {
			found, err := files.FindDescriptorByName(protoreflect.FullName(message.Name))
			if err != nil {
				return err
			}
			value := dynamicpb.NewMessage(found.(protoreflect.MessageDescriptor))
			if err := protojson.Unmarshal(message.JSON, value); err != nil {
				return err
			}
			messages = append(messages, value)
		}
		err := parent.Unit(process.Unit{
			Checkpoint: unit.Checkpoint,
			Messages:   messages,
			RevertTo:   unit.RevertTo,
			Final:      unit.Final,
		})
		if err != nil {
			return err
		}
	}
	parent.Done()
	return nil
}

func schemaOf(descriptors []byte) (*protoregistry.Files, error) {
	set := &descriptorpb.FileDescriptorSet{}
	if err := proto.Unmarshal(descriptors, set); err != nil {
		return nil, err
	}
	return protodesc.NewFiles(set)
}
