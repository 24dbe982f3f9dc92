"""Queries messages with ClickHouse. From stdin: {"files": {path: text}, "values": [base64], "query": …}."""

import base64
import json
import os
import sys
import tempfile

import chdb

given = json.load(sys.stdin)
with tempfile.TemporaryDirectory() as folder:
    contents = {path: text.encode() for path, text in given["files"].items()}
    contents |= {f"{index}.bin": base64.b64decode(value) for index, value in enumerate(given["values"])}
    for path, content in contents.items():
        os.makedirs(os.path.join(folder, os.path.dirname(path)), exist_ok=True)
        with open(os.path.join(folder, path), "wb") as file:
            file.write(content)
    os.chdir(folder)
    print(chdb.query(given["query"].replace("FOLDER", folder), "JSONEachRow"))
