import assert from 'node:assert/strict'
import { join } from 'node:path'
import { startAnvil } from '../../packages/testbed/chain/anvil.ts'
import { call as callNode } from '../../packages/testbed/chain/json-rpc.ts'
import { freePorts } from '../../packages/testbed/kafka/free-ports.ts'
import { parseArguments, printHelp } from '../build/arguments.js'
import { type Container, type ContainerOptions, call, startContainer } from './container.ts'

printHelp(`
npm run deploy:check -- IMAGE [options]

Checks an image of deploy/docker/Dockerfile: its size and user, and that a run and a gateway work with a root that is
read-only, answer their health checks, and end on SIGTERM.

  --engine PROGRAM  docker, or a program with the same arguments (default: docker)
  --help            print this
`)
const { values, positionals } = parseArguments({
  options: { engine: { type: 'string', default: 'docker' } },
  allowPositionals: true,
})
const engine = { program: values.engine as string, image: positionals[0] ?? 'headrace' }
/** 250 MB, unpacked. */
const maxBytes = 250e6
const mounted = `${join(import.meta.dirname, '../../examples/evm')}:/headrace/connector:ro`

await using opened = new AsyncDisposableStack()
const [runPort, port, metricsPort] = await freePorts(3)
const volume = `headrace-check-${process.pid}`
await call(engine, ['volume', 'create', volume])
opened.defer(async () => {
  await call(engine, ['volume', 'rm', volume])
})

await step('its size and its user', checkConfiguration)
await step('a mistake ends the script of Compose with 0, which is not restarted', checkMistake)
await step('SIGTERM ends a command that has just begun', checkEarlySignal)
await step('a run publishes, a gateway serves it, and both end on SIGTERM', checkRunAndGateway)

async function checkConfiguration(): Promise<void> {
  const inspect = (format: string) => call(engine, ['image', 'inspect', '--format', format, engine.image])
  const bytes = Number(await inspect('{{.Size}}'))
  console.log(`  ${(bytes / 1e6).toFixed(0)} MB`)
  assert.ok(bytes <= maxBytes, `The image has ${bytes} bytes. At most ${maxBytes} are allowed.`)
  assert.match(await inspect('{{.Config.User}}'), /^[1-9]\d*(:[1-9]\d*)?$/)
}

async function checkMistake(): Promise<void> {
  const container = await start({ ...supervised('run', 'connector'), volumes: [mounted] })
  assert.equal(await container.ended(), 0)
  assert.match(await container.log(), /connector ended with 1, which a restart does not fix/)
}

/** The first process of a container ignores a signal that it does not handle yet, which tini prevents. */
async function checkEarlySignal(): Promise<void> {
  const container = await start({ args: ['serve', '--queue', 'embedded:/data'] })
  assert.ok([0, 143].includes(await container.stop()), await container.log())
}

async function checkRunAndGateway(): Promise<void> {
  const chain = await startAnvil({})
  opened.defer(chain.stop)
  await callNode(chain.rpc, 'anvil_mine', ['0x10'])
  const env = { HEADRACE_QUEUE: 'embedded:/data', CONNECTOR_RPC: chain.rpc, CONNECTOR_START: 'earliest' }
  const volumes = [`${volume}:/data`]
  const metrics = (at: number) => ['--metrics-port', String(at)]
  const run = await start({
    ...supervised('run', 'connector', ...metrics(runPort!)),
    env,
    volumes: [...volumes, mounted],
  })
  await run.untilHealthy(`http://127.0.0.1:${runPort}/health`)
  const args = ['serve', '--environment', 'production', '--port', String(port), ...metrics(metricsPort!)]
  const gateway = await start({ args, env, volumes })
  await gateway.untilHealthy(`http://127.0.0.1:${port}/health/ready`)
  await gateway.exec('node', '/headrace/health.js', `http://127.0.0.1:${port}/health/ready`)
  await assert.rejects(gateway.exec('node', '/headrace/health.js', `http://127.0.0.1:${port}/health/unknown`))

  const { key } = JSON.parse(
    await gateway.exec('connector', 'keys', 'create', '--name', 'check', '--environment', 'production', '--json'),
  )
  const headers = { authorization: `Bearer ${key}` }
  const topic = 'headrace.evm.1_0_0.ethereum_Block'
  const page = await fetch(`http://127.0.0.1:${port}/api/v1/data/${topic}?limit=3`, { headers })
  const { data } = (await page.json()) as { data: unknown[] }
  assert.equal(data.length, 3)

  const stream = await fetch(`http://127.0.0.1:${port}/sse/v1?topics=${topic}&from=earliest`, { headers })
  assert.equal(stream.status, 200)
  const received = stream.text()
  assert.equal(await gateway.stop(), 0, await gateway.log())
  // A connection that is cut rejects.
  assert.match(await received, /"Hash"/)
  assert.match(await gateway.log(), /"stopping"/)
  assert.equal(await run.stop(), 0, await run.log())
}

function supervised(...args: readonly string[]): ContainerOptions {
  return { entrypoint: 'tini', args: ['--', 'sh', '/headrace/run.sh', ...args] }
}

async function start(options: ContainerOptions): Promise<Container> {
  const container = await startContainer(engine, options)
  opened.defer(container.remove)
  return container
}

async function step(what: string, check: () => Promise<void>): Promise<void> {
  console.log(what)
  await check()
}
