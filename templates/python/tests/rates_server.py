"""A local API of exchange rates."""

import json
from datetime import date, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

FIRST = date(2026, 1, 1)


class RatesServer(ThreadingHTTPServer):
    """Has the rates of a number of days. Each answer has at most three days. `asked` has the requested days."""

    def __init__(self, days, status=200):
        super().__init__(("127.0.0.1", 0), Handler)
        self.days = [str(FIRST + timedelta(days=day)) for day in range(days)]
        self.status = status
        self.asked = []
        self.url = f"http://127.0.0.1:{self.server_port}"

    def __enter__(self):
        Thread(target=self.serve_forever, daemon=True).start()
        return super().__enter__()

    def __exit__(self, *error):
        self.shutdown()
        super().__exit__(*error)


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        first = self.path[1:11]
        self.server.asked.append(first)
        days = [day for day in self.server.days if day >= first][:3]
        rates = {day: {"CHF": 0.9, "USD": 1.1} for day in days}
        self.send_response(self.server.status)
        self.end_headers()
        self.wfile.write(json.dumps({"base": "EUR", "rates": rates}).encode())

    def log_message(self, *_):
        pass
