import { randomUUID } from 'node:crypto'
import { create, toBinary } from '@bufbuild/protobuf'
import { createSystemTopics, encodeAt, registerTopics } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import { compileProto } from './compile-proto.ts'

export interface BenchTopicOptions {
  /** Of the package, which has only this topic. */
  readonly name: string
  /** With the package `bench`. */
  readonly proto: string
  /** Without the package. */
  readonly message: string
}

export interface BenchTopic {
  readonly topic: string
  /** Publishes messages, as protobuf-es takes them, in one transaction. */
  publish(messages: Iterable<object>): Promise<void>
}

/** Creates and registers a topic. */
export async function openBenchTopic(queue: Queue, options: BenchTopicOptions): Promise<BenchTopic> {
  const lineage = `bench.${options.name}.1_0_0`
  const topic = `${lineage}.bench_${options.message}`
  const schema = await compileProto(options.proto)
  const message = schema.message(`bench.${options.message}`)!
  await createSystemTopics(queue)
  await queue.createTopics([{ name: topic }])
  const connector = { owner: 'bench', package: options.name, version: '1.0.0' }
  const { descriptors } = schema
  const registration = { topic, lineage, instance: 'main', connector, message: message.typeName, descriptors }
  await registerTopics(queue, [{ ...registration, bytes: 'hex', partitions: 1 }])
  const writer = await queue.openWriter({ id: `${lineage}/main`, claim: randomUUID() })
  let unit = 0
  let seq = 0
  return {
    topic,
    async publish(messages) {
      const transaction = writer.begin()
      unit++
      for (const fields of messages) {
        const value = toBinary(message, create(message, fields as never))
        const headers = [{ key: 'at', value: encodeAt(unit, seq++) }]
        transaction.send({ topic, key: null, value, headers, time: Date.now() })
      }
      await transaction.commit()
    },
  }
}
