"""The same ticks, published straight to Kafka: without the runtime, and so without its numbers and its checkpoint."""

import sys

from clock_pb2 import Tick
from confluent_kafka import Producer

bootstrap, topic, first, last = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])

producer = Producer(
    {
        "bootstrap.servers": bootstrap,
        "transactional.id": topic,  # one writer: a second one stops the first
        "partitioner": "murmur2_random",  # for keys, the partition that other writers choose
    }
)
producer.init_transactions()

for number in range(first, last + 1):
    tick = Tick(Number=number)
    tick.ts.GetCurrentTime()
    producer.begin_transaction()
    producer.produce(topic, value=tick.SerializeToString(), timestamp=tick.ts.ToMilliseconds())
    producer.commit_transaction()
