"""Deserializes two topics of a Kafka with nothing but the URL of a schema registry. Prints one JSON object a record."""

import json
import sys

from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.protobuf import ProtobufDeserializer
from confluent_kafka.schema_registry.serde import SchemaId
from confluent_kafka.serialization import MessageField, SerializationContext
from google.protobuf.empty_pb2 import Empty
from google.protobuf.json_format import MessageToDict
from google.protobuf.message_factory import GetMessageClass
from io import BytesIO

brokers, registry_url, *topics = sys.argv[1:]
registry = SchemaRegistryClient({"url": registry_url})
any_message = ProtobufDeserializer(Empty, {}, registry)


def class_of(header):
    """The class that the header names: the deserializer wants the one of the reader."""
    schema_id = SchemaId("PROTOBUF")
    schema_id.from_bytes(BytesIO(header))
    schema = registry.get_schema_by_guid(str(schema_id.guid), fmt="serialized")
    file, pool = any_message._get_parsed_schema(schema)
    return GetMessageClass(
        any_message._get_message_desc(pool, pool.FindFileByName(file.name), schema_id.message_indexes)
    )


consumer = Consumer({"bootstrap.servers": brokers, "group.id": "none", "isolation.level": "read_committed"})
for topic in topics:
    partition = TopicPartition(topic, 0, 0)
    consumer.assign([partition])
    end = consumer.get_watermark_offsets(partition)[1]
    while consumer.position([partition])[0].offset < end:
        message = consumer.poll(1)
        if message is None:
            continue
        headers = message.headers()
        header = dict(headers)["__value_schema_id"]
        deserialize = ProtobufDeserializer(class_of(header), {}, registry)
        value = deserialize(message.value(), SerializationContext(topic, MessageField.VALUE, headers))
        print(json.dumps({"message": value.DESCRIPTOR.full_name, "value": MessageToDict(value)}), flush=True)
consumer.close()
