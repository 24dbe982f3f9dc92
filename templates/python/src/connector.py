"""Publishes exchange rates, a unit for each day."""

import sys

from process_protocol import Parent
from rates_api import ApiError, rates_from
from rates_pb2 import Rate


def publish(parent):
    """Goes on after the newest day that is published, for ever."""
    config = parent.config
    recorded = "url" not in config
    if recorded:
        print("reading recorded/rates.json, made-up rates: set CONNECTOR_URL in .env to read an API", file=sys.stderr)
    position = parent.history[0] if parent.history else {"day": "", "recorded": recorded}
    if position["recorded"] != recorded:
        parent.failed(MIXED, retry=False)
    last = position["day"]
    while not parent.stopped.is_set():
        base, rates = rates_from(last or config["start"], config)
        for day, values in sorted(rates.items()):
            if day <= last or day < config["start"]:
                continue
            # A unit is published whole or not at all, with its checkpoint: the next run goes on after it.
            parent.unit({"day": day, "recorded": recorded}, to_rates(day, base, values))
            last = day
        parent.stopped.wait(config["poll"])


MIXED = (
    "What is recorded and what an API answers must not be in one topic, and the other one is there already. "
    "Set CONNECTOR_URL as it was, or begin anew: remove the folder .headrace, or raise topicVersion in manifest.yaml."
)


def to_rates(day, base, values):
    """The messages of a day."""
    rates = [Rate(base=base, currency=currency, value=value) for currency, value in values.items()]
    for rate in rates:
        rate.ts.FromJsonString(f"{day}T12:00:00Z")
    return rates


if __name__ == "__main__":
    parent = Parent()
    try:
        publish(parent)
    except ApiError as error:
        parent.failed(str(error), retry=error.retry)
