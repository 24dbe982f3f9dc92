import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { manifest } from '../clock-project.ts'

/** A connector that does what its setting `chain` names. */
const source = `import { existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { defineConnector, RetryableError } from '@headrace/sdk'

const encode = (message, writer) => writer.uint32(8).uint64(BigInt(message.Number))
const schema = { messages: { Tick: { name: 'acme.clock.Tick', encode } }, config: undefined }
const unit = (number, value = number) => ({ checkpoint: { number }, messages: { Tick: [{ Number: value }] } })

const incidents = {
  async *healthy({ next, pause, progress }) {
    for (let number = next; ; number++) {
      yield unit(number)
      progress(number, number)
      await pause(200)
    }
  },
  async *failing({ next }) {
    yield unit(next)
    throw new RetryableError('source_unavailable', 'The source is away.')
  },
  async *troubled({ pause, progress }) {
    for (let number = 0; number < 40; number++) yield unit(number)
    while (!existsSync(new URL('go-on', import.meta.url))) await pause(100)
    yield unit(40, 'not a number')
    yield { ...unit(41), revertTo: { number: 5 } }
    for (let head = 200; ; head += 10) {
      progress(41, head)
      await pause(200)
    }
  },
}

export default defineConnector({
  schema,
  read({ config, history, signal, progress }) {
    const next = (history()[0]?.number ?? -1) + 1
    return (incidents[config.chain] ?? incidents.healthy)({ next, progress, pause: (ms) => delay(ms, undefined, { signal }) })
  },
})
`

export interface IncidentProject extends AsyncDisposable {
  readonly dir: string
  /** The troubled connector has published units, and waits for this. */
  goOn(): Promise<void>
}

export async function createIncidentProject(): Promise<IncidentProject> {
  const dir = await mkdtemp(join(tmpdir(), 'headrace-incidents-'))
  await writeFile(join(dir, 'connector.js'), source)
  await writeFile(
    join(dir, 'clock.proto'),
    'syntax = "proto3";\npackage acme.clock;\nmessage Tick { uint64 Number = 1; }\n',
  )
  await writeFile(join(dir, 'manifest.yaml'), manifest)
  return {
    dir,
    goOn: () => writeFile(join(dir, 'go-on'), ''),
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true }),
  }
}
