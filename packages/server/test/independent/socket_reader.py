"""Reads the records of a topic over WebSocket with the library `websockets`, and prints the seq of each."""

import asyncio
import json
import sys

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed


async def read(url, key, topic, count):
    cursor, read = "earliest", 0
    headers = {"Authorization": f"Bearer {key}"}
    async for socket in connect(url, additional_headers=headers, ping_interval=0.1, ping_timeout=20):
        try:
            params = {"topics": [topic], "from": cursor}
            await socket.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "subscribe", "params": params}))
            answer = json.loads(await socket.recv())
            if answer.get("id") != 1 or answer["result"]["topics"][0]["topic"] != topic:
                sys.exit(f"not the answer: {answer}")
            async for text in socket:
                message = json.loads(text)
                if message["method"] == "gap":
                    sys.exit(f"records are lost: {message}")
                if message["method"] != "subscription":
                    continue
                record = message["params"]
                if record["seq"] != record["value"]["number"]:
                    sys.exit(f"not what was published: {record}")
                print(record["seq"], flush=True)
                cursor, read = record["cursor"], read + 1
                if read == count:
                    return
        except ConnectionClosed:
            continue


asyncio.run(read(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])))
