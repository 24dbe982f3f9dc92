import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { connector } from '../whole-path/connector-process.ts'

/** A TypeScript connector that counts, in a folder of its own with a queue in it. */
export interface ClockProject {
  readonly dir: string
  readonly queue: string
  /** Writes a file in place. */
  write(path: string, content: string): Promise<void>
  /** Writes a new file and renames it, as many editors do. */
  replace(path: string, content: string): Promise<void>
  records(topic?: string): Promise<{ seq: string; unit: string; value: Record<string, unknown> }[]>
}

export const clockTopic = 'acme.clock.1_0_0.clock_Tick'

export const clockManifest = (properties = '{}', more = ''): string => `package: clock
owner: acme
version: 1.0.0
${more}config:
  type: object
  properties: ${properties}
`

export const clockProto = (fields = ''): string => `syntax = "proto3";
package acme.clock;
message Tick {
  uint64 Number = 1;
  string Word = 2;
${fields}}
`

/** `message` has the fields of a tick besides its number, as an expression. */
export const clockSource = (message: string, { head = '', pause = 20 } = {}): string => `${head}
import { setTimeout as delay } from 'node:timers/promises'
import { defineConnector, type Source, type Units } from '@headrace/sdk'
import { schema } from './generated/schema.ts'

interface Position {
  number: number
}

export default defineConnector({
  schema,
  async *read({ config, history, signal }: Source<typeof schema, Position>): Units<typeof schema, Position> {
    for (let number = (history()[0]?.number ?? -1) + 1; ; number++) {
      yield { checkpoint: { number }, messages: { Tick: [{ Number: BigInt(number), ...${message} }] } }
      await delay(${pause}, config, { signal })
    }
  },
})
`

export async function createClockProject(files: Readonly<Record<string, string>> = {}): Promise<ClockProject> {
  const dir = await mkdtemp(join(tmpdir(), 'headrace-dev-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  const queue = `embedded:${join(dir, '.headrace')}`
  const write = async (path: string, content: string): Promise<void> => {
    await mkdir(dirname(join(dir, path)), { recursive: true })
    await writeFile(join(dir, path), content)
  }
  await write('package.json', '{ "type": "module" }')
  await write('manifest.yaml', clockManifest())
  await write('proto/clock.proto', clockProto())
  await write('src/connector.ts', clockSource("{ Word: 'one' }"))
  for (const [path, content] of Object.entries(files)) await write(path, content)
  return {
    dir,
    queue,
    write,
    async replace(path, content) {
      await write(`${path}~`, content)
      await rename(join(dir, `${path}~`), join(dir, path))
    },
    async records(topic = clockTopic) {
      const { code, stdout, stderr } = await connector('read', topic, '--queue', queue, '--json', '--order', 'asc')
      if (code !== 0) throw new Error(stderr)
      return stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    },
  }
}
