import type { Unit } from '../../../sdk/src/index.ts'
import type { SourceUnit } from '../oracle/log-oracle.ts'
import type { Program } from '../time/program.ts'
import type { World } from '../world/world.ts'
import { ledgerRecords, type ledgerSchema, unencodable } from './connector-project.ts'

/** A checkpoint of the ledger. */
export interface Position {
  readonly height: number
  readonly name: string
}

export type LedgerUnit = Unit<typeof ledgerSchema, Position>

/** An external system: a growing list of entries, of which the last ones are sometimes replaced. */
export interface SimulatedSource {
  /**
   * The unit after the published positions, given newest first. Resolves when there is one. Rejects if the source fails
   * or the signal is aborted.
   */
  next(published: readonly Position[], signal: AbortSignal, program: Program): Promise<LedgerUnit>
  /** The entry of a position, if it follows the named entry. A string: why not. */
  unitAt(position: unknown, after: string | undefined): SourceUnit | string
  /** Names of its current entries, oldest first. */
  entries(): readonly string[]
  /** Whether it is complete. */
  readonly settled: boolean
}

interface Entry extends SourceUnit {
  readonly height: number
  readonly parent: Entry | undefined
  readonly messages: NonNullable<LedgerUnit['messages']>
}

export interface SourceOptions {
  /** Minimum and approximate maximum number of entries at the end. */
  readonly enough: number
  readonly most: number
  /** Called when it is complete. */
  onSettled(): void
}

export function createSimulatedSource(world: World, { enough, most, onSettled }: SourceOptions): SimulatedSource {
  const { random } = world
  const all = new Map<string, Entry>()
  const entries: Entry[] = []
  const pace = random.pick([300, 2_000, world.faultsEnd / 6])
  /** Probability of a revert without a fault, in tenths. */
  const restless = random.pick([0, 2, 5])
  let final: Entry | undefined
  const taken = new Set<string>()
  let asked = Promise.withResolvers<void>()
  let changed = Promise.withResolvers<void>()
  let settled = false
  /** Whether the last entries were removed without successors. A connector can revert only with the next unit. */
  let shortened = false

  function append(): void {
    const parent = entries.at(-1)
    const height = (parent?.height ?? 0) + 1
    const versions = [...all.values()].filter((entry) => entry.height === height).length
    const name = `${height}${String.fromCharCode(97 + versions)}`
    const of = <T>(make: (id: string) => T) =>
      Array.from({ length: random.integer(3) }, (_, index) => make(`${name}.${index}`))
    const messages = {
      Page: of((Id) => ({ Id })),
      Line: of((Id) => ({ Id, Text: random.integer(20) === 0 ? unencodable : `line of ${name}` })),
    }
    const entry = { name, height, parent, messages, records: ledgerRecords(messages.Page, messages.Line) }
    all.set(name, entry)
    entries.push(entry)
    shortened = false
  }

  function notify(): void {
    changed.resolve()
    changed = Promise.withResolvers()
  }

  /** Entries are added one by one, and several at once while the connector is behind. */
  async function grow(): Promise<void> {
    for (let backlog = random.integer(random.pick([1, 6])); backlog > 0; backlog--) append()
    while ((world.faulty && all.size < most) || entries.length < enough || shortened) {
      await Promise.race([world.wait(random.integer(pace)), world.healed])
      // A revert matters only for requested entries.
      while (entries.filter(({ name }) => !taken.has(name)).length > 3) await asked.promise
      for (let burst = random.pick([1, 1, 3]); burst > 0; burst--) append()
      const depth = random.integer(5)
      if (random.integer(10) < restless || world.strikes('source reverts')) revert()
      const firm = entries.at(-1 - depth)
      if (random.integer(2) === 0 && firm && firm.height > (final?.height ?? 0)) final = firm
      notify()
    }
    await world.healed
    settled = true
    onSettled()
  }

  function revert(): void {
    const firm = final?.height ?? 0
    if (all.size >= most || entries.length === firm) return
    const depth = 1 + random.integer(Math.min(4, entries.length - firm))
    world.note(
      'source',
      () =>
        `replaces ${entries
          .slice(-depth)
          .map(({ name }) => name)
          .join(', ')}`,
    )
    entries.splice(-depth)
    shortened = true
    for (let count = random.integer(depth + 2); count > 0; count--) append()
    notify()
  }

  /** The next unit. Undefined: none yet. */
  function following(published: readonly Position[]): LedgerUnit | undefined {
    const back = published.findIndex(({ name, height }) => entries[height - 1]?.name === name)
    const parent = published[back]
    const entry = entries[parent?.height ?? 0]
    if (!entry) return undefined
    const { name, height, messages } = entry
    taken.add(name)
    asked.resolve()
    asked = Promise.withResolvers()
    return {
      checkpoint: { height, name },
      messages,
      ...(back !== 0 && published.length > 0 && { revertTo: parent ?? null }),
      ...(final && { final: { height: final.height, name: final.name } }),
    }
  }

  void grow()
  return {
    async next(published, signal, program) {
      for (;;) {
        signal.throwIfAborted()
        const unit = following(published)
        const change = changed.promise
        await answer(world, signal, program)
        if (unit) return unit
        await arrives(world, Promise.race([change, whenAborted(signal)]), program)
      }
    },
    unitAt(position, after) {
      const { name } = position as Position
      const entry = all.get(name)
      if (!entry) return `the source has never had ${name}`
      if (entry.parent?.name !== after) return `${name} is published after ${after}, and follows ${entry.parent?.name}`
      return entry
    },
    entries: () => entries.map(({ name }) => name),
    get settled() {
      return settled
    },
  }
}

/** Waits for the answer of the source, which may fail. */
async function answer(world: World, signal: AbortSignal, program: Program): Promise<void> {
  const slow = world.strikes('source slow')
  const ms = slow ? world.random.integer(world.random.pick([2_000, 60_000])) : world.random.integer(3)
  if (slow) world.note(program.name, `waits ${ms} ms for the source`)
  if (slow) world.faultLasts(ms)
  // Some sources pass the signal to every request, and some do not.
  const deaf = slow && world.random.integer(3) === 0
  await (deaf ? world.wait(ms, program) : Promise.race([world.wait(ms, program), whenAborted(signal)]))
  signal.throwIfAborted()
  if (!world.strikes('source fails')) return
  world.note(program.name, 'the source fails')
  throw new Error('The source does not answer.')
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

/** An event reaches a program only while it runs. */
async function arrives(world: World, what: Promise<void>, program: Program): Promise<void> {
  await what
  await world.wait(world.random.integer(5), program)
}
