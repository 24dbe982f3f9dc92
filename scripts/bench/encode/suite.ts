import type { Bench, BenchContext, OpenSuite, Suite } from '../bench.ts'
import { type Contestant, type ContestantName, openContestant } from './contestant.ts'
import type { Workload } from './workload.ts'

/** Messages to protobuf bytes, against the writer that ts-proto uses by default and against code written for them alone. */
export const encodeSuite: Suite = { name: 'encode', open }

type Contestants = Record<ContestantName, Contestant>

async function open({ quick }: BenchContext): Promise<OpenSuite> {
  const contestants: Contestants = {
    ours: openContestant('ours'),
    'default ts-proto': openContestant('default ts-proto'),
    'hand-written': openContestant('hand-written'),
  }
  const close = async (): Promise<void> => {
    await Promise.all(Object.values(contestants).map((contestant) => contestant.close()))
  }
  try {
    await checkSameBytes(contestants, 'Transaction')
    await checkSameBytes(contestants, 'Block')
  } catch (error) {
    await close()
    throw error
  }
  return { benches: [encoding('Transaction'), encoding('Block')], close }

  function encoding(message: keyof Workload): Bench {
    const measure = (contestant: Contestant) => async () =>
      (await contestant.encode({ message, cpuMs: quick ? 100 : 500 })).perSecond
    return {
      name: `encode, EVM ${message}`,
      unit: 'messages/s',
      better: 'higher',
      contestants: {
        ours: measure(contestants.ours),
        'default ts-proto': measure(contestants['default ts-proto']),
        'hand-written': measure(contestants['hand-written']),
      },
      targets: { 'default ts-proto': 3, 'hand-written': 0.6 },
    }
  }
}

/** @throws {Error} a contestant does not give the bytes that ours gives. */
async function checkSameBytes(contestants: Contestants, message: keyof Workload): Promise<void> {
  const { digest } = await contestants.ours.encode({ message, cpuMs: 0 })
  for (const [name, contestant] of Object.entries(contestants)) {
    const other = await contestant.encode({ message, cpuMs: 0 })
    if (other.digest !== digest) throw new Error(`${name} encodes ${message} to other bytes than ours.`)
  }
}
