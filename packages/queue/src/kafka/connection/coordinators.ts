import type { BrokerConnection } from './broker-connection.ts'
import { checkAnswer, NoAnswerError } from './broker-error.ts'
import type { Connections } from './connections.ts'
import { enoughOf } from './enough-of.ts'
import type { Metadata } from './metadata.ts'
import { findCoordinatorV4 } from './requests.ts'

/** A replaced coordinator that is cut off still names itself, so after a failure most brokers must agree. */
export interface Coordinators {
  find(transactionalId: string): Promise<number>
  /** The next lookup asks one broker, or all if the coordinator is `suspected`. */
  forget(transactionalId: string, options: { readonly suspected: boolean }): void
  /** If most brokers do not name the cached coordinator, it is forgotten as suspected. */
  confirm(transactionalId: string): Promise<boolean>
}

export function createCoordinators(metadata: Metadata, connections: Connections): Coordinators {
  const known = new Map<string, number>()
  const suspects = new Map<string, number>()

  async function ask(connection: BrokerConnection, transactionalId: string): Promise<number> {
    const answer = await connection.request(findCoordinatorV4.api, transactionCoordinator, [transactionalId])
    const { nodeId, host, port, errorCode, errorMessage } = answer.coordinators[0]!
    const context = { request: 'FindCoordinator', transactionalId } as const
    checkAnswer(errorCode, `coordinator of "${transactionalId}"`, context, errorMessage)
    metadata.addBroker(nodeId, { host, port })
    return nodeId
  }

  /** The coordinator that most brokers name. Waits for all answers, or until more than half of the brokers name one. */
  async function askAll(transactionalId: string): Promise<number> {
    const nodes = metadata.nodes()
    const votes = new Map<number, number>()
    const asked = nodes.map(async (node) => {
      const named = await ask(await connections.to(metadata.address(node)), transactionalId)
      votes.set(named, (votes.get(named) ?? 0) + 1)
      return votes.get(named)! > nodes.length / 2
    })
    await enoughOf(1, asked)
    const suspect = suspects.get(transactionalId)
    const isSuspect = (node: number): number => (node === suspect ? 1 : 0)
    const [winner] = [...votes].sort(([one, count], [other, more]) => more - count || isSuspect(one) - isSuspect(other))
    if (!winner) throw new NoAnswerError(`no broker named the coordinator of "${transactionalId}"`)
    return winner[0]
  }

  return {
    async find(transactionalId) {
      const cached = known.get(transactionalId)
      if (cached !== undefined) return cached
      const node = suspects.has(transactionalId)
        ? await askAll(transactionalId)
        : await ask(await metadata.anyBroker(), transactionalId)
      suspects.delete(transactionalId)
      known.set(transactionalId, node)
      return node
    },
    forget(transactionalId, { suspected }) {
      const node = known.get(transactionalId)
      if (suspected && node !== undefined) suspects.set(transactionalId, node)
      known.delete(transactionalId)
    },
    async confirm(transactionalId) {
      const node = known.get(transactionalId)
      if ((await askAll(transactionalId)) === node) return true
      this.forget(transactionalId, { suspected: true })
      return false
    },
  }
}

const transactionCoordinator = 1
