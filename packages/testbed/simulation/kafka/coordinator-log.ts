import { brokerErrorCodes as codes } from '../../../queue/src/kafka/connection/broker-error.ts'
import type { Program } from '../time/program.ts'
import type { World } from '../world/world.ts'
import type { Broker } from './broker.ts'

export type State = 'Empty' | 'Ongoing' | 'PrepareCommit' | 'PrepareAbort' | 'CompleteCommit' | 'CompleteAbort'

/** The state of a transactional id. */
export interface Transaction {
  readonly producerId: bigint
  readonly epoch: number
  readonly previousProducerId: bigint
  readonly state: State
  readonly partitions: readonly string[]
  readonly timeoutMs: number
  readonly startedAt: number
}

/** A term of a broker as coordinator. A broker that was replaced may not know it yet. */
export interface CoordinatorTerm {
  readonly epoch: number
  readonly broker: Broker
  readonly process: Program
  /** The loaded and written states. Undefined while it loads. */
  memory: Map<string, Transaction> | undefined
  /** Writes in progress. */
  readonly pending: Map<string, Transaction>
}

/** The replicated, compacted log of the states, and its leader. */
export interface CoordinatorLog {
  /** The term of a broker, if it considers itself the coordinator. */
  term(node: number): CoordinatorTerm | undefined
  readonly terms: readonly CoordinatorTerm[]
  /** The elected coordinator. −1: none. */
  readonly leader: number
  /** The coordinator as a broker knows it. −1: none. */
  known(node: number): number
  /** Whether a broker still considers itself the coordinator of this term. */
  isCurrent(term: CoordinatorTerm): boolean
  /**
   * Writes a state and resolves to an error code. A coordinator that is replaced before then does not learn it.
   */
  write(term: CoordinatorTerm, id: string, next: Transaction): Promise<number>
  elect(options?: ElectOptions): void
  /** The controller has noticed that a broker is down, or up again. */
  brokerChanged(broker: Broker): void
  /** Notifies a broker of the election. */
  announce(broker: Broker): void
  /** The process of a broker starts. */
  brokerStarted(broker: Broker): void
  /** The new process has learned the decisions of the controller. */
  brokerServes(broker: Broker): void
}

export interface ElectOptions {
  readonly to?: number
  readonly loadMs?: number
}

export interface CoordinatorLogOptions {
  readonly world: World
  readonly brokers: readonly Broker[]
  readonly brokerDelay: () => number
  readonly onLoaded: (term: CoordinatorTerm) => void
}

export function createCoordinatorLog(options: CoordinatorLogOptions): CoordinatorLog {
  const { world, brokers, brokerDelay, onLoaded } = options
  const log = new Map<string, Transaction>()
  const terms = new Map<number, CoordinatorTerm>()
  const views = new Map<number, Election>()
  let election: Election = { leader: -1, epoch: 0, loadMs: 0 }

  function learn(broker: Broker, process: Program, decided: Election): void {
    const { id } = broker
    if ((views.get(id)?.epoch ?? -1) >= decided.epoch) return
    views.set(id, decided)
    terms.delete(id)
    if (decided.leader !== id) return
    const term: CoordinatorTerm = { epoch: decided.epoch, broker, process, memory: undefined, pending: new Map() }
    terms.set(id, term)
    const loaded = (): void => {
      if (terms.get(id) !== term) return
      term.memory = new Map(log)
      onLoaded(term)
    }
    world.later(decided.loadMs, loaded, process)
  }

  function announce(broker: Broker): void {
    const { process, isolation } = broker
    const decided = election
    if (!process || isolation) return
    // A paused broker continues with the old state until the second message arrives.
    const learnNow = () => learn(broker, process, decided)
    world.later(brokerDelay(), () => void world.later(brokerDelay(), learnNow, process), process)
  }

  function elect({ to, loadMs }: ElectOptions = {}): void {
    const candidates = brokers.filter(({ fenced }) => !fenced).map(({ id }) => id)
    const leader = candidates.includes(to ?? -1) ? to! : (candidates[0] ?? -1)
    // The pending writes of the last leader may have been replicated.
    const last = terms.get(election.leader)
    if (last && last.epoch === election.epoch && !last.broker.isolation)
      for (const [id, written] of last.pending) if (world.random.integer(2) === 0) log.set(id, written)
    const { epoch } = election
    election = { leader, epoch: epoch + 1, loadMs: loadMs ?? brokerDelay() * world.random.pick([2, 10, 200]) }
    for (const broker of brokers) announce(broker)
  }

  return {
    term: (node) => terms.get(node),
    get terms() {
      return [...terms.values()]
    },
    get leader() {
      return election.leader
    },
    known: (node) => views.get(node)?.leader ?? -1,
    isCurrent: (term) => terms.get(term.broker.id) === term && !term.process.killed,
    async write(term, id, next) {
      term.pending.set(id, next)
      await world.wait(brokerDelay() * 2, term.process)
      while (term.broker.isolation) await term.broker.isolation
      if (term.epoch !== election.epoch) return codes.NOT_COORDINATOR
      term.pending.delete(id)
      log.set(id, next)
      term.memory!.set(id, next)
      return codes.NONE
    },
    elect,
    brokerChanged(broker) {
      const { id, fenced } = broker
      const { leader } = election
      if (fenced ? leader === id : leader < 0 || leader === id) elect()
      else if (!fenced) announce(broker)
    },
    announce,
    brokerStarted({ id }) {
      terms.delete(id)
      views.delete(id)
    },
    brokerServes: (broker) => learn(broker, broker.process!, election),
  }
}

interface Election {
  readonly leader: number
  readonly epoch: number
  /** Time in ms that the leader takes to load its log. */
  readonly loadMs: number
}
