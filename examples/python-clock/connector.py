"""A source that counts: a tick each interval, for ever or up to a last one."""

from clock_pb2 import Tick
from process_protocol import connect

parent = connect()
interval = parent.config["interval"]
end = parent.config.get("end")
number = parent.history[0]["number"] if parent.history else 0
parent.ready()

while end is None or number < end:
    if parent.stopped.wait(interval):
        raise SystemExit
    number += 1
    tick = Tick(Number=number)
    tick.ts.GetCurrentTime()
    parent.unit({"number": number}, [tick])

parent.done()
