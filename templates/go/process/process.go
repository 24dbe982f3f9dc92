// Package process is the child's side of the process protocol, version 1: frames of protobuf on stdin and stdout.
package process

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"google.golang.org/protobuf/proto"

	"connector/processpb"
)

// Parent is `connector run`, which started this process. Its methods may be called by one goroutine at a time.
type Parent struct {
	// Context is cancelled when the connector must stop.
	Context context.Context
	// Config has the settings as JSON, checked against the manifest, with defaults.
	Config []byte
	// History has the checkpoints that can be reverted to, newest first. Continue after the first.
	History []json.RawMessage

	out                              io.Writer
	types                            map[string]uint32
	pendingUnits, written, committed uint64
	commits                          chan uint64
}

// Unit is published in one transaction.
type Unit struct {
	// Checkpoint is the position in the source after this unit. It is stored as JSON.
	Checkpoint any
	Messages   []proto.Message
	// RevertTo is the checkpoint after which all units are reverted first; `null` reverts all units.
	RevertTo json.RawMessage
	// Final is the checkpoint of the newest unit that can no longer be reverted.
	Final json.RawMessage
}

// Connect takes over stdin and stdout, and waits for the parent's Start.
func Connect() (*Parent, error) {
	out := os.Stdout
	os.Stdout = os.Stderr // output of fmt.Println goes to the log
	start := read(os.Stdin).GetStart()
	if start.GetProtocol() != 1 {
		return nil, fmt.Errorf("the parent uses version %d of the process protocol, this program version 1", start.GetProtocol())
	}
	ctx, stop := context.WithCancel(context.Background())
	parent := &Parent{
		Context:      ctx,
		Config:       []byte(start.Config),
		out:          out,
		types:        make(map[string]uint32),
		pendingUnits: uint64(start.PendingUnits),
		commits:      make(chan uint64, 1),
	}
	for _, checkpoint := range start.History {
		parent.History = append(parent.History, json.RawMessage(checkpoint))
	}
	for index, name := range start.Messages {
		parent.types[name] = uint32(index)
	}
	go parent.listen(os.Stdin, stop)
	parent.write(&processpb.FromChild{Message: &processpb.FromChild_Ready{Ready: &processpb.Ready{Protocol: 1}}})
	return parent, nil
}

// Publish sends a unit. It waits while too many units are not committed, and fails when the connector must stop.
func (parent *Parent) Publish(unit Unit) error {
	for parent.written-parent.committed >= parent.pendingUnits {
		select {
		case parent.committed = <-parent.commits:
		case <-parent.Context.Done():
			return parent.Context.Err()
		}
	}
	checkpoint, err := json.Marshal(unit.Checkpoint)
	if err != nil {
		return err
	}
	parent.written++
	frame := &processpb.Unit{Number: parent.written, Checkpoint: string(checkpoint)}
	for _, message := range unit.Messages {
		value, err := proto.Marshal(message)
		if err != nil {
			return err
		}
		name := string(message.ProtoReflect().Descriptor().FullName())
		kind, ok := parent.types[name]
		if !ok {
			return fmt.Errorf("manifest.yaml has no topic for %s", name)
		}
		frame.Messages = append(frame.Messages, &processpb.Message{Type: kind, Value: value})
	}
	if unit.RevertTo != nil {
		frame.RevertTo = proto.String(string(unit.RevertTo))
	}
	if unit.Final != nil {
		frame.Final = proto.String(string(unit.Final))
	}
	parent.write(&processpb.FromChild{Message: &processpb.FromChild_Unit{Unit: frame}})
	return nil
}

// Done reports that the source has ended.
func (parent *Parent) Done() {
	parent.write(&processpb.FromChild{Message: &processpb.FromChild_Done{Done: &processpb.Done{}}})
}

// Failed reports why the source cannot be read, and ends the process. If retry is true, the parent restarts it.
func (parent *Parent) Failed(text string, retry bool) {
	failed := &processpb.Failed{Text: text, Retry: retry}
	parent.write(&processpb.FromChild{Message: &processpb.FromChild_Failed{Failed: failed}})
	os.Exit(0)
}

func (parent *Parent) listen(in io.Reader, stop context.CancelFunc) {
	for {
		message := read(in)
		if message.GetStop() != nil {
			stop()
		}
		if committed := message.GetCommitted(); committed != nil {
			select {
			case <-parent.commits: // replaced by the newer one
			default:
			}
			parent.commits <- committed.Unit
		}
	}
}

func read(in io.Reader) *processpb.ToChild {
	var length uint32
	if binary.Read(in, binary.BigEndian, &length) != nil {
		os.Exit(1) // the parent has ended
	}
	content := make([]byte, length)
	if _, err := io.ReadFull(in, content); err != nil {
		os.Exit(1)
	}
	message := &processpb.ToChild{}
	if err := proto.Unmarshal(content, message); err != nil {
		panic(err)
	}
	return message
}

func (parent *Parent) write(message *processpb.FromChild) {
	content, err := proto.Marshal(message)
	if err != nil {
		panic(err)
	}
	frame := append(binary.BigEndian.AppendUint32(nil, uint32(len(content))), content...)
	if _, err := parent.out.Write(frame); err != nil {
		os.Exit(1)
	}
}
