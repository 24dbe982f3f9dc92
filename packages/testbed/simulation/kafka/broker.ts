import { createProgram, type Program } from '../time/program.ts'
import type { World } from '../world/world.ts'

/** A broker. Its disk survives its process. */
export interface Broker {
  readonly id: number
  /** Undefined while no process runs. A paused one counts as running. */
  readonly process: Program | undefined
  /** Whether the process accepts requests. A new process first learns the decisions of the controller. */
  readonly serving: boolean
  /** Whether the controller excludes it from leadership. The controller notices changes late. */
  readonly fenced: boolean
  kill(): void
  start(): void
  /** Whether the machine has failed too: connections are neither closed nor refused, and no request is answered. */
  readonly unreachable: boolean
  /** Stops the process as SIGSTOP does, and continues it after `ms`: its memory and connections stay. */
  pause(ms: number): void
  /** Disconnects the broker from the controller and the other brokers for `ms`. Clients still reach it. */
  isolate(ms: number): void
  /** Resolves when the isolation ends. Undefined while the broker is not isolated. */
  readonly isolation: Promise<void> | undefined
  /** Calls a function when connections to the current process are closed. */
  onDisconnect(callback: () => void): void
}

export interface BrokerEvents {
  /** The controller has noticed that the broker is down, or up again. */
  changed(broker: Broker): void
  /** The broker is no longer isolated, and learns the decisions of the controller. */
  caughtUp(broker: Broker): void
  /** A new process of the broker starts. */
  started(broker: Broker): void
  /** The new process accepts requests from now on. */
  serves(broker: Broker): void
}

export function createBroker(world: World, id: number, events: BrokerEvents): Broker {
  const name = `broker ${id}`
  let process: Program | undefined = createProgram(name)
  let serving = true
  let fenced = false
  let unreachable = false
  let disconnectCallbacks: (() => void)[] = []
  let session = 0
  let isolation: Promise<void> | undefined

  function setFenced(value: boolean): void {
    if (fenced === value) return
    fenced = value
    world.note('controller', `${value ? 'misses' : 'has'} ${name}`)
    events.changed(broker)
  }

  function closeConnections(): void {
    for (const callback of disconnectCallbacks) callback()
    disconnectCallbacks = []
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
      // A closed socket is noticed earlier than a missing heartbeat.
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
          // A new process is a new session, even after a restart that the controller did not notice.
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
      world.faultLasts(ms)
      const until = world.now() + ms
      process.pausedUntil = Math.max(process.pausedUntil, until)
      if (ms < sessionTimeoutMs) return
      const paused = process
      world.later(sessionTimeoutMs, () => process === paused && paused.pausedUntil > world.now() && setFenced(true))
      world.later(ms, () => setFenced(false), paused)
    },
    isolate(ms) {
      if (!process || isolation) return
      world.note(name, `is cut off for ${ms} ms`)
      world.faultLasts(ms)
      const { promise, resolve } = Promise.withResolvers<void>()
      isolation = promise
      world.later(sessionTimeoutMs, () => isolation === promise && setFenced(true))
      world.later(ms, () => {
        isolation = undefined
        resolve()
        world.note(name, 'is reached again')
        // The broker registers again before it learns the decisions that it missed.
        world.later(world.random.integer(1_000), catchUp, process)
      })
    },
    get isolation() {
      return isolation
    },
    onDisconnect(callback) {
      disconnectCallbacks.push(callback)
    },
  }
  return broker
}

/** `broker.session.timeout.ms`. */
const sessionTimeoutMs = 9_000
