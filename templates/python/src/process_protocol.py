"""The child's side of the process protocol, version 1: frames of protobuf on stdin and stdout."""

import json
import os
import struct
import sys
import threading

from process_pb2 import Done, Failed, FromChild, Message, Ready, ToChild, Unit

NOT_GIVEN = object()


class Parent:
    """`connector run`, which started this process. Its methods may be called by one thread at a time."""

    def __init__(self):
        """Takes over stdin and stdout, and waits for the parent's Start."""
        self._incoming = os.fdopen(os.dup(0), "rb")
        self._outgoing = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)  # output of print() goes to the log
        start = self._read().start
        if start.protocol != 1:
            sys.exit(f"The parent uses version {start.protocol} of the process protocol, this program version 1.")
        # The settings, checked against the manifest, with defaults.
        self.config = json.loads(start.config)
        # The checkpoints that can be reverted to, newest first. Continue after the first.
        self.history = [json.loads(checkpoint) for checkpoint in start.history]
        # Set when the connector must stop: wait on it instead of sleeping.
        self.stopped = threading.Event()
        self._types = {name: index for index, name in enumerate(start.messages)}
        self._pending_units = start.pending_units
        self._written = self._committed = 0
        self._changed = threading.Condition()
        threading.Thread(target=self._listen, daemon=True).start()
        self._write(FromChild(ready=Ready(protocol=1)))

    def unit(self, checkpoint, messages=(), *, revert_to=NOT_GIVEN, final=NOT_GIVEN):
        """Publishes messages together with the position after them. Ends the process when the connector must stop."""
        with self._changed:
            self._changed.wait_for(lambda: self._room() or self.stopped.is_set())
        if self.stopped.is_set():
            sys.exit()
        self._written += 1
        unit = Unit(number=self._written, checkpoint=json.dumps(checkpoint))
        for message in messages:
            kind = self._types[message.DESCRIPTOR.full_name]
            unit.messages.append(Message(type=kind, value=message.SerializeToString()))
        if revert_to is not NOT_GIVEN:
            unit.revert_to = json.dumps(revert_to)
        if final is not NOT_GIVEN:
            unit.final = json.dumps(final)
        self._write(FromChild(unit=unit))

    def done(self):
        """Reports that the source has ended."""
        self._write(FromChild(done=Done()))

    def failed(self, text, *, retry):
        """Reports why the source cannot be read, and ends the process. If `retry` is true, the parent restarts it."""
        self._write(FromChild(failed=Failed(text=text, retry=retry)))
        sys.exit()

    def _room(self):
        return self._written - self._committed < self._pending_units

    def _listen(self):
        while True:
            message = self._read()
            with self._changed:
                if message.HasField("committed"):
                    self._committed = message.committed.unit
                else:
                    self.stopped.set()
                self._changed.notify()

    def _read(self):
        header = self._incoming.read(4)
        content = self._incoming.read(struct.unpack(">I", header)[0]) if len(header) == 4 else b""
        if not content:
            os._exit(1)  # the parent has ended
        return ToChild.FromString(content)

    def _write(self, frame):
        content = frame.SerializeToString()
        self._outgoing.write(struct.pack(">I", len(content)) + content)
        self._outgoing.flush()
