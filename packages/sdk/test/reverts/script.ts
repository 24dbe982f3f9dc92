import { type Connector, defineConnector, type Source, type Unit } from '@headrace/sdk'
import { genesisSeconds } from '../chain/connector.ts'
import { schema } from '../chain/schema.ts'

export interface ScriptPosition {
  /** Name of the unit: `a1` is block 1 of branch a. */
  readonly name: string
  /** Index of the unit in the script. */
  readonly step: number
}

export type ScriptedUnit = Unit<typeof schema, ScriptPosition>

/** Reverts of a source, each with a text for `parseScript`. */
export const scripts: [string, string][] = [
  ['the newest unit', 'a0 a1 a2 a1<b2 b3'],
  ['three units, replaced by four', 'a0 a1 a2 a3 a0<b1 b2 b3 b4'],
  ['all units', 'a0 a1 a2 <b0 b1 b2 b3'],
  ['twice in a row', 'a0 a1 a2 a3 a1<b2 b3 a0<c1 c2 c3'],
  ['the replacement, and restores the first branch', 'a0 a1 a2 a0<b1 b2 b3 a0<a1 a2 a3'],
  ['three units, replaced by one', 'a0 a1 a2 a3 a0<b1'],
  ['two units without a replacement', 'a0 a1 a2 a0< a1 a2'],
  ['two units at its end', 'a0 a1 a2 a0<'],
  ['all units twice', 'a0 a1 <b0 b1 <c0 c1'],
  ['units after a replacement, and then again', 'a0 a1 a0<b1 b2 b3 b1<c2 c3'],
  ['down to the final unit', 'a0 a1! a2 a3 a1<b2 b3'],
  ['nothing', 'a0 a1 a1<a2'],
]

/**
 * One of each kind: to the start, to a unit, to a revert without a replacement, and to a final unit. For suites in which
 * the depth of a revert and its number of replacements make no difference.
 */
export const differingScripts = scripts.filter(([name]) =>
  ['all units', 'twice in a row', 'two units without a replacement', 'down to the final unit'].includes(name),
)

/**
 * Units of a source with reverts, from a text. `a0 a1 a2 a0<b1 b2`: after a0, a1 and a2 the unit b1 first reverts
 * the units after a0. `<b0` reverts everything, `a0<` has no block, and `a2!` is final.
 */
export function parseScript(text: string): ScriptedUnit[] {
  const places = new Map<string, ScriptPosition>()
  return text.split(' ').map((word, step) => {
    const [, target, block, final] = /^(?:(\w*)<)?(\w*)(!?)$/.exec(word)!
    const checkpoint: ScriptPosition = { name: block || word, step }
    places.set(checkpoint.name, checkpoint)
    return {
      checkpoint,
      ...(block && { messages: messagesOf(block) }),
      ...(target !== undefined && { revertTo: target === '' ? null : places.get(target)! }),
      ...(final && { final: checkpoint }),
    }
  })
}

/** The canonical units at the end. */
export function canonical(units: readonly ScriptedUnit[]): ScriptedUnit[] {
  const stack: ScriptedUnit[] = []
  for (const unit of units) {
    const { revertTo } = unit
    if (revertTo !== undefined) stack.splice(stack.findIndex(({ checkpoint }) => checkpoint === revertTo) + 1)
    stack.push(unit)
  }
  return stack
}

/** Yields the units after the last committed one. `beforeEach` may delay a unit. */
export function scriptConnector(
  units: readonly ScriptedUnit[],
  beforeEach: (unit: ScriptedUnit, source: Source<typeof schema, ScriptPosition>) => Promise<void> = async () => {},
): Connector<typeof schema, ScriptPosition> {
  return defineConnector({
    schema,
    async *read(source: Source<typeof schema, ScriptPosition>) {
      for (const unit of units.slice((source.history()[0]?.step ?? -1) + 1)) {
        await beforeEach(unit, source)
        yield unit
      }
    },
  })
}

function messagesOf(block: string): NonNullable<ScriptedUnit['messages']> {
  const number = Number(block.slice(1))
  const seconds = BigInt(genesisSeconds + number)
  const transactions = Array.from({ length: (number + block.charCodeAt(0)) % 4 }, (_, index) => ({
    seconds,
    Hash: `${block}-${index}`,
    From: new Uint8Array(20).fill(number),
  }))
  return { Block: [{ seconds, Hash: block, Number: BigInt(number) }], Transaction: transactions }
}
