import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { count, defineTool, resultItems, type Tool, ToolError } from '@headrace/server/mcp'
import type { QueueOptions } from '../options/queue-options.ts'
import type { SettingsOptions } from '../options/settings-options.ts'

const bin = fileURLToPath(new URL('../../bin/connector.js', import.meta.url))

/**
 * Runs `connector verify` in a process of its own: the code of a connector may write to standard output, which belongs to
 * the protocol, and must end in time.
 */
export function createVerifyTool(dir: string, options: QueueOptions & SettingsOptions): Tool {
  return defineTool({
    name: 'verify_report',
    title: 'Verify published records',
    description:
      'Checks the records that the connector of this project has published: that none is missing, doubled, reordered or damaged, and, with compare, that random units equal the source. Reads all records of the connector.',
    parameters: {
      compare: count('how many random units to compare with the source; 0: contact no source', {
        ...{ least: 0, most: 1000, absent: 0 },
      }),
      seconds: count('end after this number of seconds, with what was found until then', { most: 300, absent: 30 }),
    },
    result: {
      type: 'object',
      properties: {
        complete: { type: 'boolean', description: 'false: the time was over first, so this proves nothing' },
        findings: { type: 'array', items: { type: 'object' }, description: 'what is wrong, the first ones' },
        found: { type: 'integer', description: 'number of all findings' },
        summary: { type: 'object', description: 'what was checked. Only if complete' },
        notes: { type: 'array', items: { type: 'string' } },
      },
      required: ['complete', 'findings', 'found', 'notes'],
    },
    isOpenWorld: true,
    async call({ compare, seconds }, { signal }) {
      const args = [...verifyArguments(dir, options), ...(compare > 0 ? ['--sample', `${compare}`] : ['--offline'])]
      const ends = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)])
      const { findings, found, summary, failure } = await runVerify(args, ends)
      if (!summary && !ends.aborted) throw new ToolError(`connector verify failed. ${failure}`)
      const left = found - findings.length
      return {
        complete: summary !== undefined,
        findings,
        found,
        ...(summary !== undefined && { summary }),
        notes: [
          ...(summary === undefined ? [`Ended after ${seconds} s, before all was read. Allow more seconds.`] : []),
          ...(left > 0 ? [`${left} more findings are left out.`] : []),
        ],
      }
    },
  })
}

function verifyArguments(
  dir: string,
  { queue, kafkaConfig, config, set = [], instance }: QueueOptions & SettingsOptions,
) {
  const given = { '--queue': queue, '--kafka-config': kafkaConfig, '--config': config, '--instance': instance }
  const pairs = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name, value]))
  // An absolute path does not begin with a dash.
  return ['verify', resolve(dir), '--json', ...pairs, ...set.flatMap((setting) => ['--set', setting])]
}

interface VerifyOutcome {
  /** As many as fit in an answer. */
  readonly findings: readonly object[]
  readonly found: number
  readonly summary: object | undefined
  /** Why there is no summary. */
  readonly failure: string
}

async function runVerify(args: readonly string[], signal: AbortSignal): Promise<VerifyOutcome> {
  const child = spawn(process.execPath, [bin, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const stop = () => child.kill()
  signal.addEventListener('abort', stop, { once: true })
  const closed = once(child, 'close')
  const findings = resultItems()
  let [found, failure] = [0, '']
  let summary: object | undefined
  createInterface(child.stderr).on('line', (line) => {
    failure = messageOf(line)
  })
  for await (const line of createInterface(child.stdout)) {
    const value = parse(line)
    // Anything else is output of the connector.
    if (value === undefined) continue
    if ('summary' in value) summary = value.summary as object
    else if (typeof value.code === 'string') {
      found++
      findings.add(value)
    }
  }
  await closed
  signal.removeEventListener('abort', stop)
  return { findings: findings.items, found, summary, failure }
}

function parse(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** Of a JSON line of the log, or the line itself. */
function messageOf(line: string): string {
  const { msg } = parse(line) ?? {}
  return typeof msg === 'string' ? msg : line
}
