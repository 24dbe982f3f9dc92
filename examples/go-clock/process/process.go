// Package process is the child's side of the process protocol, version 1.
// docs/reference/process-protocol.md describes it.
package process

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"google.golang.org/protobuf/proto"

	"headrace.dev/go-clock/processpb"
)

const protocol = 1

// ErrStopped is returned by methods that wait, when the connector must stop.
var ErrStopped = errors.New("the parent has asked to stop")

// Message is one protobuf message to publish.
type Message = proto.Message

// Unit is published in one transaction.
type Unit struct {
	// Checkpoint is the position in the source after this unit. It is stored as JSON.
	Checkpoint any
	Messages   []Message
	// RevertTo is the checkpoint after which all units are reverted first, as JSON; `null` reverts all units.
	RevertTo json.RawMessage
	// Final is the checkpoint of the newest unit that can no longer be reverted, as JSON.
	Final json.RawMessage
	// TimeMs is the record time of messages without one of their own, in milliseconds since 1970.
	TimeMs *int64
}

// Parent is the runtime that started this process. Its methods may be called from one goroutine at a time.
type Parent struct {
	// Config holds the settings as a JSON object.
	Config json.RawMessage
	// History holds the checkpoints that can be reverted to, newest first. Continue after the first.
	History []json.RawMessage
	// Stopped is closed when the connector must stop.
	Stopped <-chan struct{}

	types        map[string]uint32
	pendingUnits uint64
	written      uint64
	stop         chan struct{}
	out          io.Writer

	mutex     sync.Mutex
	changed   *sync.Cond
	committed uint64
}

// Connect reserves stdin and stdout for the protocol, and waits for the parent's Start.
func Connect() (*Parent, error) {
	out := os.Stdout
	os.Stdout = os.Stderr // output of fmt.Println goes to the log
	message := read(os.Stdin)
	start := message.GetStart()
	if start.GetProtocol() != protocol {
		return nil, fmt.Errorf("the parent speaks version %d of the process protocol, this child %d", start.GetProtocol(), protocol)
	}
	stop := make(chan struct{})
	parent := &Parent{
		Config:       json.RawMessage(start.Config),
		Stopped:      stop,
		types:        make(map[string]uint32),
		pendingUnits: uint64(start.PendingUnits),
		stop:         stop,
		out:          out,
	}
	parent.changed = sync.NewCond(&parent.mutex)
	for _, checkpoint := range start.History {
		parent.History = append(parent.History, json.RawMessage(checkpoint))
	}
	for place, name := range start.Messages {
		parent.types[name] = uint32(place)
	}
	go parent.listen()
	return parent, nil
}

// Ready reports that the source can be read.
func (parent *Parent) Ready() {
	parent.write(&processpb.FromChild{Message: &processpb.FromChild_Ready{Ready: &processpb.Ready{Protocol: protocol}}})
}

// Unit writes a unit. It waits while too many are pending, and returns ErrStopped when the connector must stop.
func (parent *Parent) Unit(unit Unit) error {
	if parent.written >= parent.pendingUnits {
		if err := parent.WaitForCommitted(parent.written + 1 - parent.pendingUnits); err != nil {
			return err
		}
	}
	checkpoint, err := json.Marshal(unit.Checkpoint)
	if err != nil {
		return err
	}
	frame := &processpb.Unit{Number: parent.written + 1, Checkpoint: string(checkpoint), TimeMs: unit.TimeMs}
	for _, message := range unit.Messages {
		name := string(message.ProtoReflect().Descriptor().FullName())
		place, ok := parent.types[name]
		if !ok {
			return fmt.Errorf("the manifest has no topic for %s", name)
		}
		value, err := proto.Marshal(message)
		if err != nil {
			return err
		}
		frame.Messages = append(frame.Messages, &processpb.Message{Type: place, Value: value})
	}
	if unit.RevertTo != nil {
		frame.RevertTo = proto.String(string(unit.RevertTo))
	}
	if unit.Final != nil {
		frame.Final = proto.String(string(unit.Final))
	}
	parent.written++
	parent.write(&processpb.FromChild{Message: &processpb.FromChild_Unit{Unit: frame}})
	return nil
}

// Committed is the number of units written by this process that are visible to readers.
func (parent *Parent) Committed() uint64 {
	parent.mutex.Lock()
	defer parent.mutex.Unlock()
	return parent.committed
}

// WaitForCommitted waits until this number of units is committed. It returns ErrStopped when the connector must stop.
func (parent *Parent) WaitForCommitted(number uint64) error {
	parent.mutex.Lock()
	defer parent.mutex.Unlock()
	for parent.committed < number {
		select {
		case <-parent.Stopped:
			return ErrStopped
		default:
			parent.changed.Wait()
		}
	}
	return nil
}

// Progress reports how far the source has been read, and its current end.
func (parent *Parent) Progress(at, head float64) {
	parent.write(&processpb.FromChild{Message: &processpb.FromChild_Progress{
		Progress: &processpb.Progress{At: at, Head: head},
	}})
}

// Failed reports why this process cannot continue, and ends it.
func (parent *Parent) Failed(text string, retry bool) {
	parent.write(&processpb.FromChild{Message: &processpb.FromChild_Failed{
		Failed: &processpb.Failed{Text: text, Retry: retry},
	}})
	os.Exit(0)
}

// Done reports that the source has ended.
func (parent *Parent) Done() {
	parent.write(&processpb.FromChild{Message: &processpb.FromChild_Done{Done: &processpb.Done{}}})
}

func (parent *Parent) write(message *processpb.FromChild) {
	content, err := proto.Marshal(message)
	if err != nil {
		panic(err)
	}
	frame := binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(content)), uint32(len(content)))
	if _, err := parent.out.Write(append(frame, content...)); err != nil {
		os.Exit(1) // the parent has ended
	}
}

func (parent *Parent) listen() {
	for {
		message := read(os.Stdin)
		parent.mutex.Lock()
		if committed := message.GetCommitted(); committed != nil {
			parent.committed = committed.Unit
		} else {
			close(parent.stop)
		}
		parent.changed.Broadcast()
		parent.mutex.Unlock()
	}
}

// read ends the process when the parent has ended.
func read(in io.Reader) *processpb.ToChild {
	var length uint32
	if err := binary.Read(in, binary.BigEndian, &length); err != nil {
		os.Exit(1)
	}
	content := make([]byte, length)
	if _, err := io.ReadFull(in, content); err != nil {
		os.Exit(1)
	}
	message := &processpb.ToChild{}
	if err := proto.Unmarshal(content, message); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return message
}
