"""Publishes exchange rates, a unit for each day."""

import sys

from process_protocol import Parent
from rates_api import ApiError, rates_from
from rates_pb2 import Rate


def publish(parent):
    """Publishes all days after the newest published one, until the connector is stopped."""
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
            # Messages and checkpoint are published together, so the next run continues after this day.
            parent.unit({"day": day, "recorded": recorded}, to_rates(day, base, values))
            last = day
        parent.stopped.wait(config["poll"])


MIXED = (
    "The topic has recorded rates and CONNECTOR_URL is now set, or it has rates of an API and CONNECTOR_URL is no "
    "longer set. Both must not be in one topic. Set CONNECTOR_URL as before, or start again: remove the folder "
    ".headrace, or raise topicVersion in manifest.yaml."
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
