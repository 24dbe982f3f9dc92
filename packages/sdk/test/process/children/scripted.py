"""Writes the units of a script that follow the one that was committed last."""

import base64
import json
import sys

from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory

script_file, example = sys.argv[1:]
sys.path.insert(0, example)
from process_protocol import connect  # noqa: E402

parent = connect()
with open(script_file, encoding="utf-8") as file:
    script = json.load(file)
pool = descriptor_pool.DescriptorPool()
for descriptor in descriptor_pb2.FileDescriptorSet.FromString(base64.b64decode(script["descriptors"])).file:
    pool.Add(descriptor)


def message_of(message):
    kind = message_factory.GetMessageClass(pool.FindMessageTypeByName(message["name"]))
    return json_format.ParseDict(message["json"], kind())


checkpoints = [unit["checkpoint"] for unit in script["units"]]
first = checkpoints.index(parent.history[0]) + 1 if parent.history else 0
parent.ready()
replacing = 0
for place, unit in list(enumerate(script["units"]))[first:]:
    if "revertTo" in unit:
        replacing = place + 1
    if script["oneByOne"] and replacing <= first + parent.committed:
        parent.wait_for_committed(place - first)
    options = {name: unit[key] for name, key in (("revert_to", "revertTo"), ("final", "final")) if key in unit}
    parent.unit(unit["checkpoint"], [message_of(message) for message in unit["messages"]], **options)
parent.done()
