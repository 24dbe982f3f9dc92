import { createProgram, type Program } from '../time/program.ts'
import type { World } from '../world/world.ts'

/** A broker: its disk stays, its process comes and goes. */
export interface Broker {
  readonly id: number
  /** The process that runs, or that is paused. Undefined: none. */
  readonly process: Program | undefined
  /** Whether its process takes requests. One that starts learns first what the controller has decided. */
  readonly serving: boolean
  /** Whether the controller counts it among those that can lead. It notices late what has become of a broker. */
  readonly fenced: boolean
  kill(): void
  start(): void
  /** Whether its machine is gone with it: nothing is closed or refused, and nothing answered. */
  readonly unreachable: boolean
  /** As SIGSTOP and SIGCONT do: it keeps its memory and its connections. */
  pause(ms: number): void
  /**
   * Cuts it off from the controller and the other brokers: clients still reach it, and it does not learn what is decided
   * meanwhile.
   */
  cutOff(ms: number): void
  /** Pending while it is cut off. */
  readonly reached: Promise<void> | undefined
  /** Calls a function once the process of now is gone. */
  onGone(what: () => void): void
}

export interface BrokerEvents {
  /** The controller has noticed that it is gone, or that it is there again. */
  changed(broker: Broker): void
  /** It learns what was decided while it was cut off. */
  caughtUp(broker: Broker): void
  /** A process of it begins. */
  started(broker: Broker): void
  /** The process that has begun takes requests from now on. */
  serves(broker: Broker): void
}

export function createBroker(world: World, id: number, events: BrokerEvents): Broker {
  const name = `broker ${id}`
  let process: Program | undefined = createProgram(name)
  let serving = true
  let fenced = false
  let unreachable = false
  let gone: (() => void)[] = []
  let session = 0
  let reached: Promise<void> | undefined

  function setFenced(value: boolean): void {
    if (fenced === value) return
    fenced = value
    world.note('controller', `${value ? 'misses' : 'has'} ${name}`)
    events.changed(broker)
  }

  function closeConnections(): void {
    for (const what of gone) what()
    gone = []
  }

  function catchUp(): void {
    if (fenced) setFenced(false)
    else events.caughtUp(broker)
  }

  const broker: Broker = {
    id,
    get process() {
      return process
    },
    get serving() {
      return serving
    },
    get fenced() {
      return fenced
    },
    get unreachable() {
      return unreachable
    },
    kill() {
      if (!process) return
      unreachable = world.random.integer(3) === 0
      world.note(name, unreachable ? 'loses its machine' : 'is killed')
      process.killed = true
      process = undefined
      serving = false
      if (!unreachable) closeConnections()
      const inSession = ++session
      // A socket that is closed tells more than a heartbeat that is missing.
      const noticedAfter = unreachable
        ? sessionTimeoutMs
        : world.random.integer(world.random.pick([20, sessionTimeoutMs]))
      world.later(noticedAfter, () => session === inSession && setFenced(true))
    },
    start() {
      if (process) return
      world.note(name, 'starts')
      unreachable = false
      closeConnections()
      process = createProgram(name)
      session++
      events.started(broker)
      const started = process
      const recoveryMs = 100 + world.random.integer(2_000)
      world.later(
        recoveryMs,
        () => {
          // A process that begins is a new session, also where it was too quick to be missed.
          setFenced(true)
          serving = true
          events.serves(broker)
          setFenced(false)
        },
        started,
      )
    },
    pause(ms) {
      if (!process) return
      world.note(name, `is paused for ${ms} ms`)
      world.lasts(ms)
      const until = world.now() + ms
      process.pausedUntil = Math.max(process.pausedUntil, until)
      if (ms < sessionTimeoutMs) return
      const paused = process
      world.later(sessionTimeoutMs, () => process === paused && paused.pausedUntil > world.now() && setFenced(true))
      world.later(ms, () => setFenced(false), paused)
    },
    cutOff(ms) {
      if (!process || reached) return
      world.note(name, `is cut off for ${ms} ms`)
      world.lasts(ms)
      const { promise, resolve } = Promise.withResolvers<void>()
      reached = promise
      world.later(sessionTimeoutMs, () => reached === promise && setFenced(true))
      world.later(ms, () => {
        reached = undefined
        resolve()
        world.note(name, 'is reached again')
        // It registers again, and only then learns what it has missed.
        world.later(world.random.integer(1_000), catchUp, process)
      })
    },
    get reached() {
      return reached
    },
    onGone(what) {
      gone.push(what)
    },
  }
  return broker
}

/** `broker.session.timeout.ms`. */
const sessionTimeoutMs = 9_000
