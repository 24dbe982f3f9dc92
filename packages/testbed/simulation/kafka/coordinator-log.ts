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

/** A term of a broker that takes itself for the coordinator. One that was replaced may not know it yet. */
export interface Seat {
  readonly epoch: number
  readonly broker: Broker
  readonly process: Program
  /** What it has loaded and written. `undefined` while it loads. */
  memory: Map<string, Transaction> | undefined
  /** States that are being written. */
  readonly pending: Map<string, Transaction>
}

/** The replicated log of the states, compacted, and who leads it. */
export interface CoordinatorLog {
  /** The term of a broker that takes itself for the coordinator. */
  seat(node: number): Seat | undefined
  readonly seats: readonly Seat[]
  /** The coordinator as the controller has elected it. −1: none. */
  readonly leader: number
  /** The coordinator as a broker knows it. −1: none. */
  known(node: number): number
  /** Whether a broker still takes itself for the coordinator in a term. */
  lasts(seat: Seat): boolean
  /** Writes a state. One that is replaced while it writes does not know whether it was written. Resolves with a code. */
  write(seat: Seat, id: string, next: Transaction): Promise<number>
  elect(options?: ElectOptions): void
  /** The controller has noticed that a broker is gone, or there again. */
  brokerChanged(broker: Broker): void
  /** Tells a broker what is decided. */
  announce(broker: Broker): void
  /** A process of a broker begins. */
  brokerStarted(broker: Broker): void
  /** The process that has begun knows what the controller has decided. */
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
  readonly onLoaded: (seat: Seat) => void
}

export function createCoordinatorLog(options: CoordinatorLogOptions): CoordinatorLog {
  const { world, brokers, brokerDelay, onLoaded } = options
  const log = new Map<string, Transaction>()
  const seats = new Map<number, Seat>()
  const views = new Map<number, Election>()
  let election: Election = { leader: -1, epoch: 0, loadMs: 0 }

  function learn(broker: Broker, process: Program, decided: Election): void {
    const { id } = broker
    if ((views.get(id)?.epoch ?? -1) >= decided.epoch) return
    views.set(id, decided)
    seats.delete(id)
    if (decided.leader !== id) return
    const seat: Seat = { epoch: decided.epoch, broker, process, memory: undefined, pending: new Map() }
    seats.set(id, seat)
    const loaded = (): void => {
      if (seats.get(id) !== seat) return
      seat.memory = new Map(log)
      onLoaded(seat)
    }
    world.later(decided.loadMs, loaded, process)
  }

  function announce(broker: Broker): void {
    const { process, reached } = broker
    const decided = election
    if (!process || reached) return
    // The second message is what a broker that was paused waits for: until then it takes itself for what it was.
    const learnNow = () => learn(broker, process, decided)
    world.later(brokerDelay(), () => void world.later(brokerDelay(), learnNow, process), process)
  }

  function elect({ to, loadMs }: ElectOptions = {}): void {
    const candidates = brokers.filter(({ fenced }) => !fenced).map(({ id }) => id)
    const leader = candidates.includes(to ?? -1) ? to! : (candidates[0] ?? -1)
    // What the last leader was writing may have been replicated.
    const last = seats.get(election.leader)
    if (last && last.epoch === election.epoch && !last.broker.reached)
      for (const [id, written] of last.pending) if (world.random.integer(2) === 0) log.set(id, written)
    const { epoch } = election
    election = { leader, epoch: epoch + 1, loadMs: loadMs ?? brokerDelay() * world.random.pick([2, 10, 200]) }
    for (const broker of brokers) announce(broker)
  }

  return {
    seat: (node) => seats.get(node),
    get seats() {
      return [...seats.values()]
    },
    get leader() {
      return election.leader
    },
    known: (node) => views.get(node)?.leader ?? -1,
    lasts: (seat) => seats.get(seat.broker.id) === seat && !seat.process.killed,
    async write(seat, id, next) {
      seat.pending.set(id, next)
      await world.wait(brokerDelay() * 2, seat.process)
      while (seat.broker.reached) await seat.broker.reached
      if (seat.epoch !== election.epoch) return codes.NOT_COORDINATOR
      seat.pending.delete(id)
      log.set(id, next)
      seat.memory!.set(id, next)
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
      seats.delete(id)
      views.delete(id)
    },
    brokerServes: (broker) => learn(broker, broker.process!, election),
  }
}

interface Election {
  readonly leader: number
  readonly epoch: number
  /** How long the leader loads its log. */
  readonly loadMs: number
}
