import { appendFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { serveRecording } from '@headrace/evm/recorded'
import { expect, onTestFinished, test } from 'vitest'
import { createClockProject } from './developing/clock-project.ts'
import { endDev, isStarted, type Shown, startDev } from './developing/dev-process.ts'
import { copyExample } from './project-copy.ts'

/** An HTTP server that counts what it is asked. */
async function startApi(answer: (path: string, body: string) => unknown): Promise<{
  readonly url: string
  readonly asked: Map<string, number>
}> {
  const asked = new Map<string, number>()
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const { id: _, ...call } = body === '' ? {} : JSON.parse(body)
    const what = [request.method, request.url, ...(body === '' ? [] : [JSON.stringify(call)])].join(' ')
    asked.set(what, (asked.get(what) ?? 0) + 1)
    response.setHeader('content-type', 'application/json').end(JSON.stringify(await answer(request.url!, body)))
  })
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

/** Reads what its API lists, once, and then polls for the newest. */
const source = (url: string, word: string): string => `
import { setTimeout as delay } from 'node:timers/promises'
import { defineConnector, type Source, type Units } from '@headrace/sdk'
import { schema } from './generated/schema.ts'

const get = async (path: string): Promise<number> => (await fetch('${url}' + path)).json() as Promise<number>

export default defineConnector({
  schema,
  async *read({ history, signal }: Source<typeof schema, number>): Units<typeof schema, number> {
    const pages = [await get('/pages/1'), await get('/pages/2')]
    for (let last = history()[0] ?? -1; ; ) {
      const newest = await get('/newest')
      for (; last < newest; last++)
        yield { checkpoint: last + 1, messages: { Tick: [{ Number: BigInt(last + 1), Word: '${word} ' + pages }] } }
      await delay(20, undefined, { signal })
    }
  },
})
`

const word =
  (number: number, text: string) =>
  ({ value }: Shown): boolean =>
    value?.Number === `${number}` && value.Word === text

test('an edit asks an API for nothing that it has answered, and polling sees what is new all the same', async () => {
  let newest = 0
  let page = 7
  const api = await startApi((path) => (path === '/newest' ? newest : page))
  const project = await createClockProject({ 'src/connector.ts': source(api.url, 'one') })
  const dev = startDev([project.dir, '--queue', project.queue])
  await dev.untilShown(word(0, 'one 7,7'))
  page = 8
  await project.write('src/connector.ts', source(api.url, 'two'))
  await dev.untilLogged(isStarted)
  await dev.untilLogged(isStarted)
  newest = 2
  await dev.untilShown(word(2, 'two 7,7'))

  // Once more, and what was answered since counts.
  await project.write('src/connector.ts', source(api.url, 'three').replace('/pages/2', '/pages/3'))
  await dev.untilLogged(isStarted)
  newest = 3
  await dev.untilShown(word(3, 'three 7,8'))
  const { code, stderr } = await endDev(dev)
  expect(code).toBe(0)
  expect([1, 2, 3].map((number) => api.asked.get(`GET /pages/${number}`))).toEqual([1, 1, 1])
  expect((await project.records()).map(({ value }) => value.Number)).toEqual(['0', '1', '2', '3'])
  const told = stderr.split('\n').filter((line) => line.includes('answered with what was answered before'))
  expect(told.reduce((sum, line) => sum + JSON.parse(line).requests, 0)).toBe(5)
})

test('with --no-cache each run asks for itself', async () => {
  const api = await startApi((path) => (path === '/newest' ? 0 : 7))
  const project = await createClockProject({ 'src/connector.ts': source(api.url, 'one') })
  const dev = startDev([project.dir, '--queue', project.queue, '--no-cache'])
  await dev.untilLogged(isStarted)
  await expect.poll(() => api.asked.get('GET /newest') ?? 0).toBeGreaterThan(1)
  const before = api.asked.get('GET /newest')!
  await project.write('src/connector.ts', source(api.url, 'two'))
  await dev.untilLogged(isStarted)
  await expect.poll(() => api.asked.get('GET /pages/2')).toBe(2)
  await expect.poll(() => api.asked.get('GET /newest')!).toBeGreaterThan(before)
  const { code, stderr } = await endDev(dev)
  expect(code).toBe(0)
  expect(stderr).not.toContain('answered before')
})

test.each([
  ['asks a node once less for what it has answered', [], 1],
  ['with --no-cache asks it anew', ['--no-cache'], 0],
])('an EVM connector %s', async (_, options, less) => {
  const recorded = fileURLToPath(new URL('../../../templates/evm-blocks/recorded/blocks.json', import.meta.url))
  const node = await serveRecording(recorded)
  onTestFinished(() => node.close())
  const api = await startApi(async (_, body) => (await fetch(node.rpc, { method: 'POST', body })).json())
  const { dir, remove } = await copyExample()
  onTestFinished(remove)
  const args = [dir, '--queue', `embedded:${dir}/.headrace`, '--set', `rpc=${api.url}`, '--set', 'start=earliest']
  const dev = startDev([...args, '--set', 'poll=0.1', ...options])
  await dev.untilShown(({ topic }) => topic?.endsWith('Block') ?? false)
  const chainId = 'POST / {"jsonrpc":"2.0","method":"eth_chainId","params":[]}'
  const heads = (): number =>
    [...api.asked].reduce((sum, [what, count]) => sum + (/"latest"|eth_blockNumber/.test(what) ? count : 0), 0)
  await dev.untilLogged(isStarted)
  const inRun = api.asked.get(chainId)!
  await appendFile(`${dir}/src/connector.ts`, '// edited\n')
  await dev.untilLogged(isStarted)
  const before = heads()
  await expect.poll(heads).toBeGreaterThan(before + 2)
  expect(api.asked.get(chainId)).toBe(2 * inRun - less)
  expect(await endDev(dev)).toMatchObject({ code: 0 })
})
