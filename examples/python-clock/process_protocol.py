"""The child's side of the process protocol, version 1. docs/reference/process-protocol.md describes it."""

import json
import os
import struct
import sys
import threading

from process_pb2 import FromChild, ToChild

PROTOCOL = 1
_NOT_GIVEN = object()


def connect():
    """Reserves stdin and stdout for the protocol, and waits for the parent's Start."""
    incoming = os.fdopen(os.dup(0), "rb")
    outgoing = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of print() goes to the log
    start = _read(incoming).start
    if start.protocol != PROTOCOL:
        sys.exit(f"The parent speaks version {start.protocol} of the process protocol, this child {PROTOCOL}.")
    return Parent(start, incoming, outgoing)


class Parent:
    """The runtime that started this process. Its methods may be called from one thread at a time."""

    def __init__(self, start, incoming, outgoing):
        self.config = json.loads(start.config)
        # Checkpoints that can be reverted to, newest first. Continue after the first.
        self.history = [json.loads(checkpoint) for checkpoint in start.history]
        # Set when the connector must stop: wait on it instead of sleeping.
        self.stopped = threading.Event()
        # Number of units written by this process that are visible to readers.
        self.committed = 0
        self._types = {name: place for place, name in enumerate(start.messages)}
        self._pending_units = start.pending_units
        self._written = 0
        self._outgoing = outgoing
        self._changed = threading.Condition()
        threading.Thread(target=self._listen, args=(incoming,), daemon=True).start()

    def ready(self):
        frame = FromChild()
        frame.ready.protocol = PROTOCOL
        self._write(frame)

    def unit(self, checkpoint, messages=(), revert_to=_NOT_GIVEN, final=_NOT_GIVEN, time_ms=None):
        """Writes a unit. Waits while too many are pending, and ends the process when it must stop."""
        self.wait_for_committed(self._written + 1 - self._pending_units)
        self._written += 1
        frame = FromChild()
        unit = frame.unit
        unit.number = self._written
        unit.checkpoint = _to_json(checkpoint)
        for message in messages:
            unit.messages.add(type=self._types[message.DESCRIPTOR.full_name], value=message.SerializeToString())
        if revert_to is not _NOT_GIVEN:
            unit.revert_to = _to_json(revert_to)
        if final is not _NOT_GIVEN:
            unit.final = _to_json(final)
        if time_ms is not None:
            unit.time_ms = time_ms
        self._write(frame)

    def wait_for_committed(self, number):
        """Waits until this number of units is committed. Ends the process when it must stop."""
        with self._changed:
            self._changed.wait_for(lambda: self.committed >= number or self.stopped.is_set())
        if self.stopped.is_set():
            raise SystemExit

    def progress(self, at, head):
        frame = FromChild()
        frame.progress.at = at
        frame.progress.head = head
        self._write(frame)

    def failed(self, text, retry):
        """Reports why this process cannot continue, and ends it."""
        frame = FromChild()
        frame.failed.text = text
        frame.failed.retry = retry
        self._write(frame)
        raise SystemExit

    def done(self):
        """Reports that the source has ended for good."""
        frame = FromChild()
        frame.done.SetInParent()
        self._write(frame)

    def _write(self, frame):
        content = frame.SerializeToString()
        self._outgoing.write(struct.pack(">I", len(content)) + content)
        self._outgoing.flush()

    def _listen(self, incoming):
        while True:
            message = _read(incoming)
            with self._changed:
                if message.HasField("committed"):
                    self.committed = message.committed.unit
                else:
                    self.stopped.set()
                self._changed.notify_all()


def _read(incoming):
    header = incoming.read(4)
    content = incoming.read(struct.unpack(">I", header)[0]) if len(header) == 4 else b""
    if not content:
        os._exit(1)  # the parent has ended
    return ToChild.FromString(content)


def _to_json(checkpoint):
    return json.dumps(checkpoint, separators=(",", ":"), ensure_ascii=False)
