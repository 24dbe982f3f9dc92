import { setTimeout as delay } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { PageJson, RecordJson, RpcMessage } from '../../../../server/test/clients/shapes.ts'
import type { ElectionScene } from './election-scene.ts'

export interface LiveReader extends Disposable {
  /** Resolves when a partition has been read up to a seq, or after a timeout, which is a finding. */
  reaches(topic: string, partition: number, seq: number): Promise<void>
}

/** Subscribes from the earliest record on. Each record that is not the next one of its partition is a finding. */
export function followLive(scene: ElectionScene, topics: readonly string[]): LiveReader {
  const { findings, gatewayUrl, key } = scene
  const next = new Map<string, number>()
  const { promise: closed, resolve: onClose } = Promise.withResolvers<string>()
  const socket = new WebSocket(`${gatewayUrl.replace('http', 'ws')}/ws/v1?api_key=${key}`)
  socket.on('error', (error) => onClose(error.message))
  socket.on('close', (code, reason) => onClose(`${code} ${reason}`))
  socket.on('message', (data) => {
    const message: RpcMessage = JSON.parse(String(data))
    if (message.method === 'subscription') take(message.params as RecordJson)
    else if (message.error || message.method === 'gap') findings.note('live', `received ${data}`)
  })
  socket.on('open', () => {
    const params = { topics, from: 'earliest' }
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscribe', params }))
  })

  function take({ topic, partition, seq }: RecordJson): void {
    const name = `${topic}/${partition}`
    const expected = next.get(name) ?? 0
    if (Number(seq) !== expected) findings.note('live', `${name}: received seq ${seq}, expected ${expected}`)
    next.set(name, Number(seq) + 1)
  }

  return {
    async reaches(topic, partition, seq) {
      const name = `${topic}/${partition}`
      const deadline = performance.now() + longestWaitMs
      const reached = () => next.get(name) ?? 0
      let reason = `${longestWaitMs / 1000} s are over`
      closed.then((how) => {
        reason = `closed: ${how}`
      })
      while (reached() < seq && performance.now() < deadline && !reason.startsWith('closed')) await delay(pollMs)
      if (reached() < seq) findings.note('live', `${name}: received up to seq ${reached()} of ${seq} (${reason})`)
    },
    [Symbol.dispose]: () => socket.terminate(),
  }
}

const longestWaitMs = 90_000
const pollMs = 50

/** Reads the topic of blocks page by page, repeatedly. Returns the number of pages. */
export async function readPages(scene: ElectionScene, topic: string, signal: AbortSignal): Promise<number> {
  const { findings, counts } = scene
  let pages = 0
  let [cursor, expected] = ['', 0]
  while (!signal.aborted) {
    const query = cursor === '' ? 'from=earliest' : `cursor=${cursor}`
    const before = counts.committed
    const page = await getPage(scene, `view=log&order=asc&limit=500&${query}`)
    pages++
    const seqs = page?.data.map(({ seq }) => Number(seq)) ?? []
    const wrong = seqs.findIndex((seq, index) => seq !== expected + index)
    if (wrong >= 0)
      findings.note('page', `from seq ${expected} on, record ${wrong} has seq ${seqs[wrong]}, not ${expected + wrong}`)
    expected = (seqs.at(-1) ?? expected - 1) + 1
    if (page && !page.hasMore && expected < before)
      findings.note('page', `the last page ends before seq ${expected} though ${before} blocks were committed before`)
    const hasNext = page?.hasMore && seqs.length > 0
    cursor = hasNext ? page.nextCursor : ''
    if (!hasNext) expected = 0
    await newestPage(scene, topic)
    pages++
    await delay(pageMs, undefined, { signal }).catch(() => {})
  }
  return pages
}

/** Ms between the pages. */
const pageMs = 50

async function newestPage(scene: ElectionScene, topic: string): Promise<void> {
  const { findings, counts } = scene
  const before = counts.committed
  const page = await getPage(scene, 'limit=10')
  if (!page) return
  const seqs = page.data.map(({ seq }) => Number(seq))
  const [newest = -1] = seqs
  const isWhole = seqs.length === Math.min(10, newest + 1) && seqs.every((seq, index) => seq === newest - index)
  if (newest < before - 1 || newest >= counts.yielded || !isWhole)
    findings.note('newest page', `${topic}: seqs ${seqs}, expected 10 from ${before - 1} or higher downwards`)
}

/** `undefined` if the request failed, which is a finding. */
export async function getPage(
  { findings, gatewayUrl, key, topics }: ElectionScene,
  query: string,
): Promise<PageJson | undefined> {
  const url = `${gatewayUrl}/api/v1/data/${topics.block}?${query}`
  const get = async (): Promise<PageJson> => {
    const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
    if (response.status !== 200) throw new Error(`status ${response.status}: ${await response.text()}`)
    return (await response.json()) as PageJson
  }
  return findings.during('request', query, get())
}
