"""Reads the records of a topic that match a filter, in every coding that httpx decodes, and prints their seqs.

Arguments: address of the data, key, filter. Prints a line for each page, and one for the lines of all.
"""

import json
import sys

import httpx

address, key, chosen = sys.argv[1:]
codings = set()


def report(what, seqs):
    print(json.dumps([what, seqs]), flush=True)


with httpx.Client(headers={"Authorization": f"Bearer {key}"}) as client:
    query = {"order": "asc", "view": "log", "limit": 100, "filter": chosen}
    following, has_more = 0, True
    while has_more:
        response = client.get(address, params=query).raise_for_status()
        codings.add(response.headers.get("content-encoding"))
        page = response.json()
        for record in page["data"]:
            if int(record["seq"]) != following + record["skipped"]:
                sys.exit(f"{record['seq']} with {record['skipped']} skipped does not follow {following}")
            following = int(record["seq"]) + 1
        following = int(page["nextSeqs"][0] or following)
        report("page", [int(record["seq"]) for record in page["data"]])
        has_more, query["cursor"] = page["hasMore"], page["nextCursor"]

    for coding in ["zstd", "br", "gzip", "identity"]:
        lines = {"Accept": "application/x-ndjson", "Accept-Encoding": coding}
        query = {"order": "asc", "view": "log", "filter": chosen}
        with client.stream("GET", address, params=query, headers=lines) as response:
            codings.add(response.headers.get("content-encoding"))
            report(coding, [int(json.loads(line)["seq"]) for line in response.iter_lines()])

report("codings", sorted(str(coding) for coding in codings))
