import { setTimeout } from 'node:timers/promises'
import { deleteTopicsV6, describeTransactionsV0 } from '@platformatic/kafka'
import { connectToBroker } from '../../../queue/src/kafka/connection/broker-connection.ts'
import { defaultKafkaSettings } from '../../../queue/src/kafka/connection/kafka-settings.ts'
import { findCoordinatorV4 } from '../../../queue/src/kafka/connection/requests.ts'
import { plaintextSecurity } from '../../../queue/src/kafka/connection/security/security.ts'
import type { TestedBroker } from './tested-broker.ts'

/** @param address - `host:port` of a real Kafka. */
export async function connectToRealBroker(address: string): Promise<TestedBroker> {
  const [host, port] = address.split(':')
  const place = { host: host!, port: Number(port) }
  const connection = await connectToBroker(place, defaultKafkaSettings, plaintextSecurity)
  // The first request creates the log of transactions.
  for (;;) {
    const { coordinators } = await connection.request(findCoordinatorV4.api, transactionCoordinator, ['any'])
    if (coordinators[0]!.errorCode === 0) break
    await setTimeout(50)
  }

  async function inState(transactionalId: string, states: readonly string[]): Promise<void> {
    for (;;) {
      const { transactionStates } = await connection.request(describeTransactionsV0.api, [transactionalId])
      const [{ errorCode, transactionState }] = transactionStates as [(typeof transactionStates)[0]]
      if (errorCode !== 0 || states.includes(transactionState)) return
      await setTimeout(5)
    }
  }

  return {
    request: connection.request,
    wait: (ms) => setTimeout(ms),
    settled: (id) => inState(id, ['Empty', 'Ongoing', 'CompleteCommit', 'CompleteAbort']),
    timedOut: (id) => inState(id, ['Empty', 'CompleteCommit', 'CompleteAbort']),
    async close(topics) {
      const named = topics.map((name) => ({ name }))
      // A broker maps the files of every partition into memory, which is limited.
      await connection.request(deleteTopicsV6.api, named, 10_000).finally(() => connection.close())
    },
  }
}

const transactionCoordinator = 1
