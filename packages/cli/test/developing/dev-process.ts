import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { onTestFinished } from 'vitest'
import { type ConnectorProcess, type StartOptions, startConnector } from '../whole-path/connector-process.ts'

export interface Logged {
  readonly level: number
  readonly msg: string
  readonly code?: string
  readonly [field: string]: unknown
}

/** A record, or the number of records that are not shown. */
export interface Shown {
  readonly topic?: string
  readonly seq?: string
  readonly value?: Readonly<Record<string, unknown>>
  readonly more?: number
}

/** `connector dev --json`. */
export interface DevProcess extends ConnectorProcess {
  readonly shown: readonly Shown[]
  /** Resolves with the next matching log line after the last one that was found. */
  untilLogged(fits: (line: Logged) => boolean): Promise<Logged>
  /** Resolves when a matching line is shown, or has been. */
  untilShown(fits: (line: Shown) => boolean): Promise<Shown>
}

export const isStarted = ({ msg }: Logged): boolean => msg === 'run started'
export const isWaiting = ({ msg }: Logged): boolean => msg.endsWith('waiting for a change')
export const isError = ({ level }: Logged): boolean => level >= 50

export function startDev(
  args: readonly string[],
  variables: NodeJS.ProcessEnv = {},
  options: StartOptions = {},
): DevProcess {
  const running = startConnector(['dev', ...args, '--json'], variables, options)
  onTestFinished(async () => {
    running.child.kill('SIGKILL')
    await running.ended
  })
  const log = readLines<Logged>(running.child.stderr!)
  const output = readLines<Shown>(running.child.stdout!)
  let passed = 0
  return {
    ...running,
    shown: output.lines,
    async untilLogged(fits) {
      const [line, place] = await log.until(fits, passed)
      passed = place + 1
      return line
    },
    untilShown: async (fits) => (await output.until(fits, 0))[0],
  }
}

export async function endDev({ child, ended }: DevProcess): Promise<Awaited<ConnectorProcess['ended']>> {
  child.kill('SIGINT')
  return ended
}

function readLines<T>(stream: Readable) {
  const lines: T[] = []
  let closed = false
  let wake = Promise.withResolvers<void>()
  const wakeReaders = (): void => {
    wake.resolve()
    wake = Promise.withResolvers()
  }
  createInterface({ input: stream })
    .on('line', (line) => {
      lines.push(JSON.parse(line) as T)
      wakeReaders()
    })
    .on('close', () => {
      closed = true
      wakeReaders()
    })
  return {
    lines,
    async until(fits: (line: T) => boolean, from: number): Promise<[T, number]> {
      for (let place = from; ; place++) {
        while (place >= lines.length) {
          if (closed)
            throw new Error(
              `The command ended. Its last lines:\n${lines
                .slice(-10)
                .map((one) => JSON.stringify(one))
                .join('\n')}`,
            )
          await wake.promise
        }
        if (fits(lines[place]!)) return [lines[place]!, place]
      }
    },
  }
}
