import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { CommitUnknownError, QueueUnavailableError } from '../../errors.ts'
import type { BrokerConnection } from '../connection/broker-connection.ts'
import { NoAnswerError } from '../connection/broker-error.ts'
import { type Cluster, createCluster } from '../connection/cluster.ts'
import { defaultKafkaSettings } from '../connection/kafka-settings.ts'
import { plaintextSecurity } from '../connection/security/security.ts'
import { endTransaction } from './end-transaction.ts'
import { createSession } from './producer-session.ts'
import { kip890 } from './protocol/kip-890.ts'

/** An error code, or no answer with the connection open (`silent`) or lost. */
type Answer = number | 'silent' | 'lost'

const apiKeys = { findCoordinator: 10, endTxn: 26 }
const silent = { debug() {}, info() {}, warn() {}, error() {} }
const budgetMs = 200
let cluster: Cluster | undefined
afterEach(() => cluster?.close())

/** A coordinator with these answers to EndTxn, in order. The last one is repeated. */
function openCoordinator(answers: readonly Answer[], connectMs = 0) {
  let asked = 0
  const connection: BrokerConnection = {
    usable: true,
    async request(api, ..._args) {
      if (api.key === apiKeys.findCoordinator) {
        const coordinator = { nodeId: 1, host: 'coordinator', port: 1, errorCode: 0, errorMessage: null }
        return { coordinators: [coordinator] } as never
      }
      const answer = answers[Math.min(asked++, answers.length - 1)]!
      // Answers are immediate, so that the budget never ends between a request and its answer.
      if (answer === 'silent') return new Promise(() => {})
      if (answer === 'lost') throw new NoAnswerError('the connection was lost')
      return { errorCode: answer, producerId: 7n, epoch: 1 } as never
    },
    close() {},
  }
  cluster = createCluster({
    bootstrap: [{ host: 'bootstrap', port: 1 }],
    settings: { ...defaultKafkaSettings, budgetMs },
    security: plaintextSecurity,
    log: silent,
    connections: {
      async to({ host }) {
        if (host === 'coordinator') await delay(connectMs)
        return connection
      },
      borrow: async () => ({ connection, release() {} }),
      lastFailure: () => 0,
      closeLane() {},
      close() {},
    },
  })
  return { cluster, asked: () => asked }
}

function end(cluster: Cluster, committed: boolean) {
  const transaction = { protocol: kip890, transactionalId: 'id', session: createSession(7n, 0), lane: 'writer' }
  return endTransaction(cluster, transaction, { committed })
}

describe('the end of a transaction', () => {
  it.for<{ name: string; answers: Answer[] }>([
    { name: 'never answered within the budget', answers: ['silent'] },
    { name: 'answered OK once, and then not again', answers: [0, 'silent'] },
    { name: 'lost, and then never answered', answers: ['lost', 'silent'] },
    { name: 'lost, and then refused because the writer was fenced', answers: ['lost', 90] },
    { name: 'answered by a coordinator that moves, and then refused', answers: [16, 90] },
  ])('is unknown if a commit is $name', async ({ answers }) => {
    await expect(end(openCoordinator(answers).cluster, true)).rejects.toThrow(CommitUnknownError)
  })

  it.for<{ name: string; answers: Answer[]; code: number }>([
    { name: 'because it was timed out', answers: [48], code: 48 },
    { name: 'because it was timed out, even if an earlier request was lost', answers: ['lost', 48], code: 48 },
    { name: 'because the writer was fenced', answers: [90], code: 90 },
    { name: 'while markers of another transaction were written', answers: [51, 51, 90], code: 90 },
  ])('is a refusal if a commit is refused $name', async ({ answers, code }) => {
    await expect(end(openCoordinator(answers).cluster, true)).rejects.toMatchObject({ brokerCode: code })
  })

  it('is not an unknown commit if every answer was that the coordinator is busy', async () => {
    await expect(end(openCoordinator([51]).cluster, true)).rejects.not.toThrow(CommitUnknownError)
  })

  it('is not an unknown commit if an abort was not answered', async () => {
    await expect(end(openCoordinator(['silent']).cluster, false)).rejects.toThrow(QueueUnavailableError)
  })

  it('is not requested by an attempt that was abandoned while connecting', async () => {
    const { cluster, asked } = openCoordinator([0], budgetMs * 2)
    await expect(end(cluster, true)).rejects.toThrow(QueueUnavailableError)
    await delay(budgetMs * 2)
    expect(asked()).toBe(0)
  })

  it('is found by another request if an answer was lost', async () => {
    const { next, answered } = await end(openCoordinator(['lost', 51, 0, 51, 0]).cluster, true)
    expect({ epoch: next.epoch, answered }).toEqual({ epoch: 1, answered: false })
  })
})
