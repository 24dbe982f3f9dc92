import { brokerErrorCodes as codes } from '../../../queue/src/kafka/connection/broker-error.ts'
import { viewBatch } from '../../../queue/src/record-batch/stored-batch.ts'
import type { Program } from '../time/program.ts'
import type { Broker } from './broker.ts'
import { compact } from './compaction.ts'
import type { Partition, PartitionOptions } from './partition.ts'
import { committedBatches, readReplica, refused, stableEnd } from './partition-reading.ts'
import type { Leadership, Term } from './partition-term.ts'
import { apply, type PartitionState, stateOf } from './producer-state.ts'
import {
  beginEpoch,
  createReplica,
  endOf,
  type LoggedBatch,
  moveLogStart,
  place,
  type Replica,
  store,
  truncateToCommon,
} from './replica.ts'
import { beginVerification, checkProducer } from './verification.ts'

/** A partition on all brokers of a cluster, at first without a leader. */
export function createPartition(options: PartitionOptions): Partition {
  const { world, topic, index, brokers, configs, minInSync, brokerDelay, onStable } = options
  const compacted = configs.get('cleanup.policy') === 'compact'
  const segmentMs = Number(configs.get('segment.ms') ?? weekMs)
  const byId = new Map(brokers.map((broker) => [broker.id, broker]))
  const replicas = new Map<number, Replica>(brokers.map(({ id }) => [id, createReplica()]))
  const views = new Map<number, Leadership>()
  const terms = new Map<number, Term>()
  /** The brokers in sync, as the controller knows them. */
  const inSync = new Set(brokers.filter(({ fenced }) => !fenced).map(({ id }) => id))
  let leadership: Leadership = { leader: -1, epoch: -1 }
  let stable = 0n
  let staleUntil = -1
  let removed = false
  let wakeReaders = Promise.withResolvers<void>()
  let wakeFollowers = Promise.withResolvers<void>()

  function wake(): void {
    wakeReaders.resolve()
    wakeReaders = Promise.withResolvers()
    wakeFollowers.resolve()
    wakeFollowers = Promise.withResolvers()
  }

  function isStale(term: Term | undefined): boolean {
    return term !== undefined && term.epoch < leadership.epoch
  }

  function learn(broker: Broker, process: Program, view: Leadership): void {
    const { id } = broker
    if ((views.get(id)?.epoch ?? -1) >= view.epoch) return
    views.set(id, view)
    const before = terms.get(id)
    if (isStale(before)) staleUntil = world.now()
    terms.delete(id)
    for (const { done } of before?.waiting ?? []) done(codes.NOT_LEADER_OR_FOLLOWER)
    if (view.leader === id) lead(id, view.epoch)
    else if (view.leader >= 0) void follow(id, process, view)
    wake()
  }

  function lead(id: number, epoch: number): void {
    const replica = replicas.get(id)!
    beginEpoch(replica, epoch, endOf(replica))
    terms.set(id, {
      epoch,
      state: stateOf(replica),
      followed: new Map(),
      start: endOf(replica),
      inSync: new Set(inSync),
      checksLag: false,
      waiting: [],
    })
    advance(id)
  }

  /**
   * The loop of a follower in one term. An answer brings records and a high watermark; the next fetch confirms them.
   */
  async function follow(id: number, process: Program, view: Leadership): Promise<void> {
    const { leader: source, epoch } = view
    const to = replicas.get(id)!
    const from = replicas.get(source)!
    let truncated = false
    let parked = false
    for (;;) {
      // The leader's process may be down or not know yet that it leads.
      const leading = byId.get(source)!.process
      if (leading === undefined) return
      await reachable(id, source)
      // A fetch that waits at the leader has already arrived.
      if (!parked) await world.wait(brokerDelay(), leading)
      parked = false
      await reachable(id, source)
      if (views.get(id) !== view) return
      const term = terms.get(source)
      if (term?.epoch !== epoch) {
        if (leadership.epoch !== epoch) return
        await world.wait(20, process)
        continue
      }
      if (!truncated) truncateToCommon(to, from)
      truncated = true
      confirm(source, term, id, endOf(to))
      const { highWatermark, logStart } = from
      const missing = from.batches.slice(to.batches.length)
      if (missing.length === 0 && to.highWatermark === highWatermark && to.logStart === logStart) {
        await wakeFollowers.promise
        parked = true
        continue
      }
      await world.wait(brokerDelay(), process)
      if (views.get(id) !== view) return
      store(to, missing, segmentMs)
      const end = endOf(to)
      const learnt = highWatermark < end ? highWatermark : end
      if (learnt > to.highWatermark) to.highWatermark = learnt
      moveLogStart(to, logStart < learnt ? logStart : learnt)
    }
  }

  /** Resolves when two brokers can exchange messages. */
  async function reachable(one: number, other: number): Promise<void> {
    for (const id of [one, other]) while (byId.get(id)!.isolation) await byId.get(id)!.isolation
  }

  /** A follower has all batches before an offset. If it has caught up, it is in sync again. */
  function confirm(leader: number, term: Term, follower: number, end: bigint): void {
    term.followed.set(follower, end)
    const caughtUp = end >= replicas.get(leader)!.highWatermark && !byId.get(leader)!.isolation
    if (caughtUp && !term.inSync.has(follower) && term.epoch === leadership.epoch && !byId.get(follower)!.fenced) {
      inSync.add(follower)
      term.inSync.add(follower)
    }
    advance(leader)
  }

  function advance(id: number): void {
    const term = terms.get(id)!
    const replica = replicas.get(id)!
    let replicated = endOf(replica)
    for (const other of term.inSync) {
      if (other === id) continue
      const end = term.followed.get(other) ?? 0n
      if (end < replicated) replicated = end
    }
    if (replicated > replica.highWatermark) {
      replica.highWatermark = replicated
      showStable(term, replica)
      wake()
    }
    if (term.waiting.length === 0) return
    const code = term.inSync.size < minInSync ? codes.NOT_ENOUGH_REPLICAS_AFTER_APPEND : codes.NONE
    const { waiting } = term
    term.waiting = waiting.filter(({ end }) => end > replica.highWatermark)
    for (const { end, done } of waiting) if (end <= replica.highWatermark) done(code)
  }

  function showStable({ state }: Term, replica: Replica): void {
    const end = stableEnd(replica, state)
    if (end <= stable) return
    onStable(committedBatches(replica, state, stable, end))
    stable = end
  }

  /** After `replica.lag.time.max.ms`, followers without the current batches are no longer in sync. */
  function checkLag(id: number, term: Term): void {
    if (term.checksLag) return
    term.checksLag = true
    const end = endOf(replicas.get(id)!)
    world.later(
      replicaLagMs,
      () => {
        term.checksLag = false
        if (terms.get(id) !== term || term.epoch !== leadership.epoch || byId.get(id)!.isolation) return
        for (const other of term.inSync) {
          if (other === id || (term.followed.get(other) ?? 0n) >= end) continue
          world.note(`broker ${id}`, `drops ${other} from those in sync with ${topic}/${index}`)
          term.inSync.delete(other)
          inSync.delete(other)
        }
        advance(id)
      },
      byId.get(id)!.process,
    )
  }

  function append(id: number, term: Term, batch: LoggedBatch, timeoutMs: number): Promise<number> {
    store(replicas.get(id)!, [batch], segmentMs)
    apply(term.state, batch)
    const replicated = whenReplicated(id, term, batch.view.nextOffset, timeoutMs)
    checkLag(id, term)
    wake()
    return replicated
  }

  function whenReplicated(id: number, term: Term, end: bigint, timeoutMs: number): Promise<number> {
    const { promise, resolve } = Promise.withResolvers<number>()
    const cancel = world.later(
      timeoutMs,
      () => {
        term.waiting = term.waiting.filter((one) => one !== waiting)
        resolve(codes.REQUEST_TIMED_OUT)
      },
      byId.get(id)!.process,
    )
    const waiting = {
      end,
      done(code: number) {
        cancel()
        resolve(code)
      },
    }
    term.waiting.push(waiting)
    advance(id)
    return promise
  }

  /** The term of a broker that leads, or an error code. */
  function termOf(id: number, inEpoch: number): Term | number {
    const view = viewOf(id, inEpoch)
    return typeof view === 'number' ? view : (terms.get(id) ?? codes.NOT_LEADER_OR_FOLLOWER)
  }

  /** The leadership as a broker knows it, or an error code if the epoch differs (KIP-320). */
  function viewOf(id: number, inEpoch: number): Leadership | number {
    const view = views.get(id)
    if (!view) return codes.UNKNOWN_TOPIC_OR_PARTITION
    if (inEpoch >= 0 && inEpoch < view.epoch) return codes.FENCED_LEADER_EPOCH
    if (inEpoch > view.epoch) return codes.UNKNOWN_LEADER_EPOCH
    return view
  }

  const stateAt = (id: number): PartitionState => terms.get(id)?.state ?? stateOf(replicas.get(id)!)

  function forget(id: number): void {
    for (const { done } of terms.get(id)?.waiting ?? []) done(codes.UNKNOWN_TOPIC_OR_PARTITION)
    views.delete(id)
    terms.delete(id)
    wake()
  }

  function elect(preferred?: number): void {
    if (removed) {
      for (const broker of brokers) announce(broker)
      return
    }
    const candidates = brokers.filter(({ id, fenced }) => inSync.has(id) && !fenced).map(({ id }) => id)
    const leader = candidates.includes(preferred ?? -1) ? preferred! : (candidates[0] ?? -1)
    leadership = { leader, epoch: leadership.epoch + 1 }
    for (const broker of brokers) announce(broker)
  }

  function announce(broker: Broker): void {
    const decided = leadership
    options.announce(broker, (process) => (removed ? forget(broker.id) : learn(broker, process, decided)))
  }

  return {
    topic,
    index,
    get inSync() {
      return inSync.size
    },
    get leadership() {
      return leadership
    },
    known: (node) => views.get(node) ?? { leader: -1, epoch: -1 },
    brokerServes(broker) {
      if (!removed) learn(broker, broker.process!, leadership)
    },
    verify(node, bytes, adds) {
      const term = termOf(node, -1)
      if (typeof term === 'number') return term
      return beginVerification(term.state, viewBatch(bytes, { topic, partition: index }), adds)
    },
    async produce(node, bytes, { timeoutMs, verified }) {
      const term = termOf(node, -1)
      if (typeof term === 'number') return term
      if (term.inSync.size < minInSync) return codes.NOT_ENOUGH_REPLICAS
      const batch = viewBatch(bytes, { topic, partition: index })
      if (compacted && [...batch.records()].some(({ key }) => key === null)) return invalidRecord
      const checked = checkProducer(term.state, batch, verified)
      if (typeof checked === 'number') return checked
      const baseOffset = endOf(replicas.get(node)!)
      // A duplicate is acknowledged when everything before the end is replicated.
      if (checked === 'duplicate') return whenReplicated(node, term, baseOffset, timeoutMs)
      return append(node, term, place(bytes, { baseOffset, epoch: term.epoch }), timeoutMs)
    },
    async writeMarker(node, bytes, { coordinatorEpoch, bumped }) {
      const term = termOf(node, -1)
      if (typeof term === 'number') return term
      if (term.inSync.size < minInSync) return codes.NOT_ENOUGH_REPLICAS
      const { producerId, producerEpoch } = viewBatch(bytes, { topic, partition: index })
      const known = term.state.producers.get(producerId)
      if (known && producerEpoch < known.epoch) return codes.INVALID_PRODUCER_EPOCH
      const late = bumped && known?.openFrom !== undefined && producerEpoch === known.epoch
      if (late) return codes.INVALID_PRODUCER_EPOCH
      if (known && coordinatorEpoch < known.coordinatorEpoch) return coordinatorFenced
      const baseOffset = endOf(replicas.get(node)!)
      return append(node, term, place(bytes, { baseOffset, epoch: term.epoch, coordinatorEpoch }), markerTimeoutMs)
    },
    read(node, position) {
      const view = viewOf(node, position.epoch)
      if (typeof view === 'number') return refused(view)
      // Followers answer, too, from their replica (KIP-392).
      return readReplica(replicas.get(node)!, stateAt(node), position)
    },
    offset(node, epoch, which) {
      const term = termOf(node, epoch)
      if (typeof term === 'number') return { code: term, offset: -1n }
      const replica = replicas.get(node)!
      if (which === 'earliest') return { code: codes.NONE, offset: replica.logStart }
      if (replica.highWatermark < term.start) return { code: codes.OFFSET_NOT_AVAILABLE, offset: -1n }
      const offset = which === 'highWatermark' ? replica.highWatermark : stableEnd(replica, term.state)
      return { code: codes.NONE, offset }
    },
    get staleUntil() {
      return [...terms.values()].some(isStale) ? world.now() : staleUntil
    },
    changed: () => wakeReaders.promise,
    elect,
    brokerChanged(broker) {
      const { id, fenced } = broker
      if (fenced) {
        // The last broker in sync stays, because only it has all batches.
        if (inSync.size > 1) inSync.delete(id)
        const leading = terms.get(leadership.leader)
        if (leadership.leader === id) elect()
        else if (leading && !inSync.has(id) && leading.inSync.delete(id)) advance(leadership.leader)
      } else if (leadership.leader < 0 || leadership.leader === id) elect(id)
      else {
        announce(broker)
        // Its next fetch, within half a second, puts it in sync again.
        wake()
      }
    },
    announce,
    brokerStarted({ id }) {
      views.delete(id)
      terms.delete(id)
      const replica = replicas.get(id)!
      // The high watermark on disk is some seconds old.
      if (world.random.integer(2) === 0)
        replica.highWatermark = BigInt(world.random.integer(Number(replica.highWatermark) + 1))
    },
    remove() {
      removed = true
      for (const broker of brokers) announce(broker)
    },
    compact() {
      if (!compacted) return
      for (const [id, replica] of replicas) {
        const state = stateAt(id)
        const before: bigint | undefined = world.random.pick(replica.batches)?.view.baseOffset
        if (before === undefined || before > stableEnd(replica, state) || world.random.integer(2) === 0) continue
        compact(replica, state, before)
      }
    },
    retainFrom(offset) {
      for (const id of inSync) if (replicas.get(id)!.highWatermark < offset) return false
      for (const replica of replicas.values())
        moveLogStart(replica, offset < replica.highWatermark ? offset : replica.highWatermark)
      wake()
      return true
    },
    deleteBefore(node, asked) {
      const term = termOf(node, -1)
      if (typeof term === 'number') return { code: term, logStart: -1n }
      if (compacted) return { code: codes.POLICY_VIOLATION, logStart: -1n }
      const replica = replicas.get(node)!
      const offset = asked === upToHighWatermark ? replica.highWatermark : asked
      if (offset < 0n || offset > replica.highWatermark) return { code: codes.OFFSET_OUT_OF_RANGE, logStart: -1n }
      moveLogStart(replica, offset)
      wake()
      return { code: codes.NONE, logStart: replica.logStart }
    },
  }
}

const weekMs = 7 * 86_400_000
const upToHighWatermark = -1n
/** INVALID_RECORD: one without a key in a compacted topic. */
const invalidRecord = 87
/** TRANSACTION_COORDINATOR_FENCED. */
export const coordinatorFenced = 52
/** `replica.lag.time.max.ms`. */
const replicaLagMs = 30_000
/** `request.timeout.ms` of a broker. */
const markerTimeoutMs = 30_000
