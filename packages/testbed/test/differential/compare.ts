import { randomUUID } from 'node:crypto'
import { connectToRealBroker } from './real-broker.ts'
import { runScript } from './run-script.ts'
import { randomScript, scriptTopics } from './script.ts'
import { createSimulatedBroker } from './simulated-broker.ts'

export interface CompareOptions {
  readonly seed: number
  readonly transactionVersion: 0 | 2
  /** See `randomScript`. */
  readonly usedUp?: boolean
}

/** The first difference between the answers of the simulated and the real broker; undefined if there is none. */
export async function compare(
  address: string,
  { seed, transactionVersion, usedUp }: CompareOptions,
): Promise<string | undefined> {
  const script = randomScript(seed, transactionVersion, usedUp)
  const broker = await connectToRealBroker(address)
  const prefix = `d${seed}-${randomUUID().slice(0, 8)}`
  const topics = [...Object.keys(scriptTopics), 'another'].map((topic) => `${prefix}-${topic}`)
  const real = await runScript(broker, script, prefix).finally(() => broker.close(topics))
  const simulated = await runScript(createSimulatedBroker(seed, transactionVersion), script, 'simulated')
  const differs = real.findIndex((line, index) => line !== simulated[index])
  if (differs < 0) return undefined
  return [
    `script ${seed} under transaction.version ${transactionVersion}:`,
    ...real.slice(0, differs),
    `KAFKA     ${real[differs]}`,
    `SIMULATED ${simulated[differs]}`,
  ].join('\n')
}
