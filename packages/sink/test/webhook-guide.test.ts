import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { createClient } from '@headrace/client'
import { runSink } from '@headrace/sink'
import { webhookSink } from '@headrace/sink/webhook'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { programs } from '../../client/test/guide.ts'
import { canonicalNames, openChain } from '../../server/test/shop/chain.ts'
import { type ServedShop, serveShop } from '../../server/test/shop/served-shop.ts'
import { freePorts } from '../../testbed/kafka/free-ports.ts'

const topic = 'acme.shop.1_0_0.received_Order'
const secret = `whsec_${randomBytes(32).toString('base64')}`
const [python] = programs('python', 'sink-webhooks.md')
const [javascript] = programs('js', 'sink-webhooks.md')

let shop: ServedShop
let folder: string
beforeAll(async () => {
  shop = await serveShop()
  folder = await mkdtemp(join(tmpdir(), 'headrace-receiver-'))
})
afterAll(async () => {
  await shop[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

const pythonFolder = inject('pythonFolder')

const receivers: [string, string | null, string[]][] = [
  ['Node', process.execPath, ['--input-type=module', '--eval', javascript!]],
  ['Python', pythonFolder && join(pythonFolder, 'python3'), ['-c', python!]],
]

test.each(receivers.filter(([, program]) => program))(
  'the receiver in %s applies each record once',
  async (language, program, args) => {
    const database = join(folder, `${language}.db`)
    const [port] = await freePorts(1)
    const receiver = spawn(program!, args, {
      ...{ cwd: import.meta.dirname, env: { ...process.env, SECRET: secret, PORT: `${port}`, DATABASE: database } },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const exited = once(receiver, 'exit')
    await untilListening(port!)
    const url = `http://127.0.0.1:${port}/`

    const chain = await openChain(shop.queue, { topic: `${topic}${language}`, partitions: 2 })
    await shop.waitForTopic(chain.topic)
    await chain.publish({ partitions: [0, 1, 0] }, { partitions: [0, 1] })
    await deliver(url, { of: chain.topic, state: 'one' })
    await chain.publish({ partitions: [1, 0], revertUnits: 1 }, { partitions: [0] })
    await deliver(url, { of: chain.topic, state: 'one' })
    // Without its state, the sink repeats what is canonical now.
    await deliver(url, { of: chain.topic, state: 'other' })
    const rows = new DatabaseSync(database).prepare('select partition, seq from records order by partition, seq').all()
    expect(rows.map(({ partition, seq }) => `${partition}:${seq}`)).toEqual(canonicalNames(chain, chain.head()).sort())
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401)
    receiver.kill('SIGKILL')
    await exited
  },
)

function deliver(url: string, { of, state }: { readonly of: string; readonly state: string }) {
  return runSink({
    sink: webhookSink({ url, secret, state: join(folder, of, state) }),
    client: createClient({ url: shop.url, apiKey: shop.key }),
    ...{ topics: [of], until: 'head', signal: AbortSignal.timeout(60_000), log: pino({ level: 'silent' }) },
  })
}

async function untilListening(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isOpen) return
    await delay(20)
  }
}
