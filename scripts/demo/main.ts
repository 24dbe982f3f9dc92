import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createClient } from '@headrace/client'
import { startChain } from '../../packages/testbed/chain/chain.ts'
import { isFree } from '../../packages/testbed/kafka/free-ports.ts'
import { parseArguments, refuseArgument } from '../build/arguments.js'
import { firstLine, startConnector } from './connector-process.ts'
import { mineEverySecond } from './mine.ts'

const topic = 'headrace.evm.1_0_0.ethereum_Block'
const startDeadlineMs = 60_000
/** The gateway reads keys and topics a moment after they are stored. */
const notYet: readonly number[] = [401, 404]

const blocks = blocksOption()
const stopped = new AbortController()
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect'] as const) process.on(name, stop)
try {
  await run(stopped.signal)
} catch (error) {
  if (!stopped.signal.aborted) {
    console.error((error as Error).message)
    process.exitCode = 1
  }
}
process.exit()

/** The first signal ends all parts in order, the second one kills those that still run. */
function stop(): void {
  if (stopped.signal.aborted) process.exit(1)
  stopped.abort()
}

async function run(signal: AbortSignal): Promise<void> {
  await using resources = new AsyncDisposableStack()
  const failed = new AbortController()
  const watch = (ended: Promise<unknown>) => void ended.catch((error) => failed.abort(error))
  const folder = mkdtempSync(join(tmpdir(), 'headrace-demo-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const queue = `embedded:${folder}`

  const chain = await startChain()
  resources.defer(() => chain.stop())
  watch(chain.ended)
  watch(mineEverySecond(chain))

  const settings = ['--set', `rpc=${chain.rpc}`, '--set', 'start=0', '--set', 'poll=0.2']
  const connector = resources.use(startConnector(['run', 'examples/evm', '--queue', queue, ...settings]))
  watch(connector.ended)

  const port = (await isFree(8080)) ? '8080' : '0'
  const gateway = resources.use(startConnector(['serve', '--queue', queue, '--port', port, '--with-key', '--json']))
  watch(gateway.ended)
  const served = JSON.parse(await firstLine(gateway)) as Served

  const running = AbortSignal.any([signal, failed.signal])
  const ready = AbortSignal.any([running, AbortSignal.timeout(startDeadlineMs)])
  try {
    await waitForRecord(served, ready)
    console.log(tryItLines(served))
    await showBlocks(served, running)
  } catch (error) {
    throw failed.signal.aborted ? failed.signal.reason : error
  }
}

/** What `connector serve --with-key --json` prints. */
interface Served {
  readonly url: string
  readonly key: string
  /** Opens the explorer signed in. */
  readonly explorer: string
}

async function waitForRecord({ url, key }: Served, signal: AbortSignal): Promise<void> {
  const newest = `${url}/api/v1/data/${topic}?limit=1`
  for (;;) {
    const response = await fetch(newest, { headers: { authorization: `Bearer ${key}` }, signal })
    const body = await response.text()
    if (response.ok && JSON.parse(body).data.length > 0) return
    if (!response.ok && !notYet.includes(response.status))
      throw new Error(`The gateway answered ${response.status}: ${body}`)
    await delay(100, undefined, { signal })
  }
}

interface BlockMessages {
  readonly [topic]: { readonly Number: string; readonly Hash: string; readonly TransactionCount: number }
}

async function showBlocks({ url, key: apiKey }: Served, signal: AbortSignal): Promise<void> {
  let shown = 0
  for await (const { records } of createClient<BlockMessages>({ url, apiKey }).follow({ topics: [topic], signal }))
    for (const { time, op, value } of records) {
      const content = op === 'revert' ? 'reverted' : `${value?.TransactionCount} transactions`
      console.log(`${time}  block ${value?.Number}  ${content}  ${value?.Hash}`)
      if (op === 'append') shown++
      if (shown === blocks) return
    }
}

function blocksOption(): number | undefined {
  const { blocks } = parseArguments({ options: { blocks: { type: 'string' } } }).values
  if (blocks === undefined) return undefined
  return /^[1-9]\d*$/.test(blocks)
    ? Number(blocks)
    : refuseArgument(`--blocks is "${blocks}". It must be a whole number of at least 1`)
}

/** Commands to paste into another terminal. */
function tryItLines({ url, key, explorer }: Served): string {
  const socketUrl = `${url.replace(/^http/, 'ws')}/ws/v1?api_key=${key}`
  const subscribe = `JSON.stringify({jsonrpc:'2.0',id:1,method:'subscribe',params:{topics:['${topic}']}})`
  const script = [
    `const socket=new WebSocket('${socketUrl}')`,
    `socket.onopen=()=>socket.send(${subscribe})`,
    'socket.onmessage=({data})=>console.log(data)',
  ].join(';')
  return `
Explorer  ${explorer}
API key   ${key}

Open the explorer in a browser, or paste a command into another terminal. Ctrl-C here ends the demo.

REST, the newest block:
curl -s '${url}/api/v1/data/${topic}?limit=1' -H 'Authorization: Bearer ${key}'

Server-Sent Events, blocks as they arrive:
curl -sN '${url}/sse/v1?topics=${topic}' -H 'Authorization: Bearer ${key}'

WebSocket, the same:
'${process.execPath}' -e "${script}"
`
}
