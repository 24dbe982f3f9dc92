import unittest

from connector import to_rates
from rates_api import ApiError, rates_from
from rates_server import RatesServer


class RatesTest(unittest.TestCase):
    def test_each_currency_of_a_day_is_a_message(self):
        chf, usd = to_rates("2026-01-05", "EUR", {"CHF": 0.93794, "USD": 1.1619})
        self.assertEqual((chf.base, chf.currency, chf.value), ("EUR", "CHF", 0.93794))
        self.assertEqual((usd.currency, usd.ts.ToJsonString()), ("USD", "2026-01-05T12:00:00Z"))

    def test_the_recorded_answer_is_read_without_a_url(self):
        base, rates = rates_from("2026-01-01", {})
        self.assertEqual(base, "EUR")
        self.assertIn("CHF", rates["2026-01-05"])

    def test_a_request_returns_the_rates_of_a_day_and_of_later_days(self):
        with RatesServer(days=10) as server:
            _, rates = rates_from("2026-01-08", {"url": server.url, "base": "EUR"})
        self.assertEqual(list(rates), ["2026-01-08", "2026-01-09", "2026-01-10"])

    def test_a_temporary_error_is_retried_and_a_refusal_is_not(self):
        for status, retry in ((503, True), (429, True), (404, False), (401, False)):
            with RatesServer(days=1, status=status) as server, self.assertRaises(ApiError) as raised:
                rates_from("2026-01-01", {"url": server.url, "base": "EUR"})
            self.assertEqual(raised.exception.retry, retry, status)
        with self.assertRaises(ApiError) as raised:
            rates_from("2026-01-01", {"url": server.url, "base": "EUR"})
        self.assertTrue(raised.exception.retry, "no server answers")
