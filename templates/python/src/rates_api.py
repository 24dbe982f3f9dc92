"""Requests to the API of exchange rates, and the recorded answer that is used without it."""

import json
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

RECORDED = Path(__file__).parent.parent / "recorded" / "rates.json"
TIMEOUT_S = 30


class ApiError(Exception):
    """A failed request. `retry`: whether a retry may succeed."""

    def __init__(self, text, *, retry):
        super().__init__(text)
        self.retry = retry


def rates_from(day, config):
    """Returns the base currency, and the rates of a day and of all later days: by day, then by currency."""
    if "url" not in config:
        return parse(RECORDED.read_bytes())
    url = f"{config['url']}/{day}..?base={config['base']}"
    try:
        with urlopen(url, timeout=TIMEOUT_S) as answer:
            return parse(answer.read())
    except HTTPError as error:
        refused = 400 <= error.code < 500 and error.code not in (408, 429)
        raise ApiError(f"{url} answers with {error.code} {error.reason}.", retry=not refused) from error
    except (OSError, HTTPException) as error:
        raise ApiError(f"{url} cannot be reached: {getattr(error, 'reason', error)}.", retry=True) from error
    except (ValueError, KeyError) as error:
        raise ApiError(f"{url} does not answer with rates: {error!r}.", retry=True) from error


def parse(answer):
    content = json.loads(answer)
    return content["base"], content["rates"]
