import json
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from rates_server import RatesServer

PROJECT = Path(__file__).parent.parent
CONNECTOR = PROJECT / "node_modules/.bin/connector"
DAYS = 60


class ConnectorTest(unittest.TestCase):
    """Runs the connector as `npm start` does, on a queue of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.queue = f"embedded:{folder.name}/queue"
        self.topic = self.connector("register", PROJECT)[0]["topic"]

    def test_every_rate_is_published_once_although_the_run_is_killed(self):
        with RatesServer(DAYS) as server:
            for requests in (8, 20):
                run = self.start(server)
                self.wait_for(lambda: len(server.asked) >= requests)
                self.assertIsNone(run.poll(), "the run ended before it was killed")
                run.kill()
                run.wait()
            run = self.start(server)
            self.wait_for(lambda: len(self.records()) >= 2 * DAYS)
            run.terminate()
            self.assertEqual(run.wait(), 0)
        published = [(record["value"]["ts"][:10], record["value"]["currency"]) for record in self.records()]
        self.assertEqual(published, [(day, currency) for day in server.days for currency in ("CHF", "USD")])
        self.assertEqual([record["seq"] for record in self.records()], [str(seq) for seq in range(2 * DAYS)])

    def start(self, server):
        settings = [f"--set={setting}" for setting in (f"url={server.url}", f"start={server.days[0]}", "poll=0.05")]
        run = subprocess.Popen([CONNECTOR, "run", PROJECT, "--queue", self.queue, *settings], stderr=subprocess.DEVNULL)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        return run

    def wait_for(self, condition):
        end = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), end, "waited for a minute")
            time.sleep(0.01)

    def records(self):
        return self.connector("read", self.topic, "--order", "asc")

    def connector(self, *arguments):
        command = [CONNECTOR, *arguments, "--queue", self.queue, "--json"]
        output = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
        return [json.loads(line) for line in output.splitlines()]
