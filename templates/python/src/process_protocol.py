"""The child's side of the process protocol, version 1: frames of protobuf on stdin and stdout."""

import json
import os
import struct
import sys
import threading

from process_pb2 import Done, Failed, FromChild, Message, Ready, ToChild, Unit

NOT_GIVEN = object()


class Parent:
    """`connector run`, which has started this process. One thread at a time may call its methods."""

    def __init__(self):
        """Takes stdin and stdout for the protocol, and waits for what to begin with."""
        self._incoming = os.fdopen(os.dup(0), "rb")
        self._outgoing = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)  # a stray print() becomes a line of the log
        start = self._read().start
        if start.protocol != 1:
            sys.exit(f"The parent speaks version {start.protocol} of the process protocol, this program version 1.")
        # The settings, checked against the manifest, defaults filled in.
        self.config = json.loads(start.config)
        # Checkpoints that can be reverted to, newest first. The first is where to go on from.
        self.history = [json.loads(checkpoint) for checkpoint in start.history]
        # Set when it is time to end: wait on it instead of sleeping.
        self.stopped = threading.Event()
        self._types = {name: place for place, name in enumerate(start.messages)}
        self._pending_units = start.pending_units
        self._written = self._committed = 0
        self._changed = threading.Condition()
        threading.Thread(target=self._listen, daemon=True).start()
        self._write(FromChild(ready=Ready(protocol=1)))

    def unit(self, checkpoint, messages=(), *, revert_to=NOT_GIVEN, final=NOT_GIVEN):
        """Publishes messages together with the position after them. Ends the process when it is time to."""
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
        """Says that the source has nothing more, ever."""
        self._write(FromChild(done=Done()))

    def failed(self, text, *, retry):
        """Says why the source cannot be read, and ends the process. It is started again where `retry` is true."""
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
            os._exit(1)  # the parent is gone: nobody is left to publish anything
        return ToChild.FromString(content)

    def _write(self, frame):
        content = frame.SerializeToString()
        self._outgoing.write(struct.pack(">I", len(content)) + content)
        self._outgoing.flush()
