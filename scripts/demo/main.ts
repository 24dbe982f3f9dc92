import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createClient } from '@headrace/client'
import { type Chain, startChain } from '../../packages/testbed/chain/chain.ts'
import { isFree } from '../../packages/testbed/kafka/free-ports.ts'
import { parseArguments, refuseArgument } from '../build/arguments.js'
import { firstLine, startConnector } from './connector-process.ts'

const topic = 'headrace.evm.1_0_0.ethereum_Block'
const startDeadlineMs = 60_000

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

  const key = await firstLine(startConnector(['keys', 'create', '--queue', queue, '--name', 'demo']))
  const port = (await isFree(8080)) ? '8080' : '0'
  const gateway = resources.use(startConnector(['serve', '--queue', queue, '--port', port]))
  watch(gateway.ended)
  const gatewayUrl = await firstLine(gateway)

  const running = AbortSignal.any([signal, failed.signal])
  const ready = AbortSignal.any([running, AbortSignal.timeout(startDeadlineMs)])
  try {
    await waitForRecord(`${gatewayUrl}/api/v1/data/${topic}?limit=1`, key, ready)
    console.log(tryItLines(gatewayUrl, key))
    await showBlocks(gatewayUrl, key, running)
  } catch (error) {
    throw failed.signal.aborted ? failed.signal.reason : error
  }
}

/** Ends with the chain. */
async function mineEverySecond(chain: Chain): Promise<never> {
  for (;;) await Promise.all([chain.mine(1), delay(1000)])
}

async function waitForRecord(url: string, key: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const response = await fetch(url, { headers: { authorization: `Bearer ${key}` }, signal })
    const body = await response.text()
    if (response.ok && JSON.parse(body).data.length > 0) return
    if (!response.ok && response.status !== 404) throw new Error(`The gateway answered ${response.status}: ${body}`)
    await delay(100, undefined, { signal })
  }
}

interface BlockMessages {
  readonly [topic]: { readonly Number: string; readonly Hash: string; readonly TransactionCount: number }
}

async function showBlocks(url: string, apiKey: string, signal: AbortSignal): Promise<void> {
  let shown = 0
  for await (const { records } of createClient<BlockMessages>({ url, apiKey }).follow({ topics: [topic], signal }))
    for (const { time, value } of records) {
      console.log(`${time}  block ${value?.Number}  ${value?.TransactionCount} transactions  ${value?.Hash}`)
      shown++
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
function tryItLines(gatewayUrl: string, key: string): string {
  const socketUrl = `${gatewayUrl.replace(/^http/, 'ws')}/ws/v1?api_key=${key}`
  const subscribe = `JSON.stringify({jsonrpc:'2.0',id:1,method:'subscribe',params:{topics:['${topic}']}})`
  const script = [
    `const socket=new WebSocket('${socketUrl}')`,
    `socket.onopen=()=>socket.send(${subscribe})`,
    'socket.onmessage=({data})=>console.log(data)',
  ].join(';')
  return `
Key    ${key}

Paste a command into another terminal. Ctrl-C here ends the demo.

REST, the newest block:
curl -s '${gatewayUrl}/api/v1/data/${topic}?limit=1' -H 'Authorization: Bearer ${key}'

Server-Sent Events, blocks as they arrive:
curl -sN '${gatewayUrl}/sse/v1?topics=${topic}' -H 'Authorization: Bearer ${key}'

WebSocket, the same:
'${process.execPath}' -e "${script}"
`
}
