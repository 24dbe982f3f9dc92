import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { openQueue } from '@headrace/queue'
import { expect, onTestFinished, test } from 'vitest'
import { createClockProject } from '../faults/clock-project.ts'
import { type ConnectorProcess, connector, startConnector } from '../whole-path/connector-process.ts'
import { openSubscription } from '../whole-path/subscription.ts'
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from './otlp-receiver.ts'

const topic = 'acme.clock.1_0_0.main_Tick'

/** Ticks until `last`, and logs before each one. */
const source = `import { setTimeout as delay } from 'node:timers/promises'
import { defineConnector } from '@headrace/sdk'

const encode = (message, writer) => writer.uint32(8).uint64(BigInt(message.Number))
const schema = { messages: { Tick: { name: 'acme.clock.Tick', encode } }, config: undefined }

export default defineConnector({
  schema,
  async *read({ config, history, signal, log }) {
    for (let number = (history()[0]?.number ?? -1) + 1; number < config.end; number++) {
      log.info({ number }, 'ticking')
      yield { checkpoint: { number }, messages: { Tick: [{ Number: number }, { Number: number }] } }
      await delay(20, undefined, { signal })
    }
  },
})
`

/** Node writes a line for each module of OpenTelemetry's SDK that is imported. */
const reportLoaded = `import { registerHooks } from 'node:module'
registerHooks({
  resolve(specifier, context, next) {
    if (/^@opentelemetry.(?!api$)/.test(specifier)) process.stderr.write('{"loaded":"' + specifier + '"}\\n')
    return next(specifier, context)
  },
})
`

async function createProject() {
  const project = await createClockProject()
  onTestFinished(() => project[Symbol.asyncDispose]())
  const { dir } = project
  await writeFile(join(dir, 'connector.js'), source)
  const manifest =
    'package: clock\nowner: acme\nversion: 1.0.0\nrun: connector.js\ntopics:\n  - message: Tick\n    name: main_Tick\n'
  await writeFile(
    join(dir, 'manifest.yaml'),
    `${manifest}config:\n  type: object\n  properties:\n    end: { type: integer, default: 1000000 }\n`,
  )
  await writeFile(join(dir, 'report-loaded.mjs'), reportLoaded)
  const queue = `embedded:${join(dir, 'queue')}`
  return { dir, queue, hook: { NODE_OPTIONS: `--import=${join(dir, 'report-loaded.mjs')}` } }
}

interface LogLine {
  readonly msg: string
  readonly loaded?: string
  readonly [field: string]: unknown
}

function startLogged(args: readonly string[], variables: Record<string, string>) {
  const process = startConnector(args, variables)
  onTestFinished(async () => {
    process.child.kill('SIGKILL')
    await process.ended
  })
  const log: LogLine[] = []
  createInterface({ input: process.child.stderr! }).on('line', (line) => log.push(JSON.parse(line)))
  return { ...process, log, next: (msg: string) => expect.poll(() => log.some((line) => line.msg === msg)).toBe(true) }
}

async function stop({ child, ended }: ConnectorProcess): Promise<void> {
  child.kill('SIGTERM')
  expect(await ended).toMatchObject({ code: 0 })
}

async function headersOf(url: string): Promise<Set<string>> {
  const queue = await openQueue(url)
  const { batches } = await queue.read({ topic, partition: 0, offset: 0n }, { maxBytes: 1 << 20 })
  await queue.close()
  return new Set(
    batches.flatMap((batch) => [...batch.records()].flatMap(({ headers }) => headers.map(({ key }) => key))),
  )
}

function childrenOf(parent: ReceivedSpan, { spans }: OtlpReceiver): ReceivedSpan[] {
  return spans.filter(({ traceId, parentSpanId }) => traceId === parent.traceId && parentSpanId === parent.spanId)
}

test('a unit has one trace from the source to the readers of a gateway, and the log has its id', async () => {
  await using receiver = await startOtlpReceiver()
  const { dir, queue, hook } = await createProject()
  const variables = {
    ...hook,
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20secret',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  }
  const run = startLogged(['run', dir, '--queue', queue], variables)
  await run.next('ticking')
  const gateway = startLogged(['serve', '--port', '0', '--with-key', '--json', '--queue', queue], {
    ...variables,
    OTEL_SERVICE_NAME: 'front',
  })
  const [line] = await once(createInterface({ input: gateway.child.stdout! }), 'line')
  const { url, key } = JSON.parse(line)
  const reader = await openSubscription(`${url}/ws/v1?api_key=${key}`)
  reader.send({ id: 1, method: 'subscribe', params: { topics: [topic], from: 'latest' } })
  expect(await reader.next()).toMatchObject({ id: 1, result: {} })
  const received: string[] = []
  for (let n = 0; n < 40; n++) received.push(JSON.stringify(await reader.next()))
  await reader[Symbol.asyncDispose]()
  await stop(gateway)
  await stop(run)

  expect(received.at(-1)).toContain('"Number"')
  expect(received.join()).not.toContain('traceparent')
  expect(receiver.requests.every(({ path }) => path === '/v1/traces')).toBe(true)
  expect(receiver.requests[0]!.headers).toMatchObject({
    authorization: 'Bearer secret',
    'content-type': 'application/x-protobuf',
  })
  const push = receiver.spans.find(({ name }) => name === 'headrace.push')!
  const ofTrace = receiver.spans.filter(({ traceId }) => traceId === push.traceId)
  const [fetch, ...others] = ofTrace.filter(({ parentSpanId }) => parentSpanId === '')
  expect(others).toEqual([])
  expect(fetch).toMatchObject({
    name: 'headrace.fetch',
    kind: 1,
    resource: {
      'service.name': 'acme.clock',
      'service.version': expect.any(String),
      'deployment.environment.name': 'test',
    },
  })
  const [publish] = childrenOf(fetch!, receiver)
  const unit = publish!.attributes['headrace.unit']
  expect(publish).toMatchObject({
    name: 'headrace.publish',
    attributes: { 'headrace.writer': 'acme.clock.1_0_0/main', 'headrace.unit': expect.any(Number) },
  })
  const [commit, encode, read] = childrenOf(publish!, receiver).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  expect(encode).toMatchObject({ name: 'headrace.encode', failure: undefined })
  expect(commit).toMatchObject({
    ...{ name: 'headrace.commit', kind: 4, failure: undefined },
    attributes: { 'messaging.system': 'headrace', 'messaging.batch.message_count': 2 },
  })
  expect(read).toMatchObject({
    ...{ name: 'headrace.read', kind: 5, resource: { 'service.name': 'front' } },
    attributes: {
      'messaging.destination.name': topic,
      'messaging.destination.partition.id': '0',
      'messaging.batch.message_count': 2,
      'headrace.unit': unit,
    },
  })
  expect(childrenOf(read!, receiver)).toEqual([push])
  expect(push).toMatchObject({ attributes: { 'headrace.readers': 1 }, resource: { 'service.name': 'front' } })
  expect(ofTrace).toHaveLength(6)
  expect(publish!.durationMs).toBeGreaterThanOrEqual(commit!.durationMs)

  const logged = run.log.filter(({ msg, trace_id }) => msg === 'ticking' && trace_id === fetch!.traceId)
  expect(logged).toEqual([
    expect.objectContaining({ number: Number(unit) - 1, span_id: fetch!.spanId, trace_flags: '01' }),
  ])
  expect(await headersOf(queue)).toEqual(new Set(['at', 'traceparent']))
  expect(run.log.some(({ loaded }) => loaded === '@opentelemetry/sdk-trace')).toBe(true)
})

test('with OTEL_SDK_DISABLED, nothing of the SDK is loaded, no record has a trace, and nothing is sent', async () => {
  await using receiver = await startOtlpReceiver()
  const { dir, queue, hook } = await createProject()
  const variables = { ...hook, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_SDK_DISABLED: 'true' }
  const run = startLogged(['run', dir, '--set', 'end=5', '--queue', queue], variables)
  expect(await run.ended).toMatchObject({ code: 0 })
  expect(run.log.filter(({ loaded }) => loaded)).toEqual([])
  expect(run.log.filter((line) => 'trace_id' in line)).toEqual([])
  expect(await headersOf(queue)).toEqual(new Set(['at']))
  expect(receiver.requests).toEqual([])
})

test.each([
  ['refuses spans', (response: ServerResponse) => void response.writeHead(400).end(), 'traces not sent'],
  ['does not answer', () => {}, 'run ended'],
])('a receiver that %s does not hinder a run', async (_, answer, logged) => {
  await using receiver = await startOtlpReceiver(answer)
  const { dir, queue } = await createProject()
  const run = startLogged(['run', dir, '--set', 'end=20', '--queue', queue], {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
  })
  expect(await run.ended).toMatchObject({ code: 0 })
  expect(receiver.requests).not.toEqual([])
  expect(run.log.map(({ msg }) => msg)).toContain(logged)
  const { stdout } = await connector('read', topic, '--queue', queue, '--json', '--limit', '100')
  expect(stdout.trim().split('\n')).toHaveLength(40)
})
