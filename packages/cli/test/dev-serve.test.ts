import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { stripVTControlCharacters } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { clockManifest, clockProto, clockSource, clockTopic, createClockProject } from './developing/clock-project.ts'
import { endDev, isWaiting, startDev } from './developing/dev-process.ts'
import { bin, connector } from './whole-path/connector-process.ts'

/** A source that ends after three records. */
const three = (text: string): string =>
  clockSource(`{ Word: '${text}' }`, { pause: 1 }).replace('; ; number++', '; number < 3; number++')

/** Sends the request of a curl command. */
async function ask(line: string): Promise<Response> {
  const [, authorization, url] = /^curl -H "Authorization: (.+?)" '(.+?)'$/.exec(line) ?? []
  return fetch(url!, { headers: { authorization: authorization! } })
}

const curlIn = (text: string): string => text.slice(text.indexOf('curl '))

test('the line that --serve prints reads the records, also while the code is broken and after a change of the schema', async () => {
  const project = await createClockProject()
  const dev = startDev([project.dir, '--queue', project.queue, '--serve', '--port', '0'])
  const { url, explorer } = await dev.untilLogged(({ msg }) => msg === 'serving')
  await dev.untilLogged(({ msg }) => msg.startsWith(`Serving 1 topic: ${clockTopic} (`))
  const line = curlIn((await dev.untilLogged(({ msg }) => msg.startsWith('Read records:'))).msg)
  const before = (await (await ask(line)).json()) as { data: { seq: string }[] }
  expect(before.data).toHaveLength(3)
  const [page, token] = String(explorer).split('#token=')
  expect(page).toBe(`${url}/`)
  expect((await fetch(`${url}/api/v1/topics`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(200)
  expect(await (await fetch(page!, { headers: { accept: 'text/html' } })).text()).toMatch(/^<!doctype html>/)

  await project.write('src/connector.ts', 'export default {')
  await dev.untilLogged(isWaiting)
  expect((await ask(line)).status).toBe(200)

  await project.write('manifest.yaml', clockManifest('{}', 'topics:\n  - message: Tick\n  - message: Tock\n'))
  await project.write('proto/clock.proto', `${clockProto()}message Tock {\n  uint64 Number = 1;\n}\n`)
  await project.write(
    'src/connector.ts',
    clockSource("{ Word: 'two' }").replace('Tick: [', 'Tock: [{ Number: BigInt(number) }], Tick: ['),
  )
  await dev.untilLogged(({ msg }) => msg.startsWith('Serving 2 topics:'))
  const { topic } = await dev.untilShown(({ topic }) => topic?.endsWith('Tock') ?? false)
  expect((await ask(line.replace(clockTopic, topic!))).status).toBe(200)

  expect(await endDev(dev)).toMatchObject({ code: 0, signal: null })
  const { stdout } = await connector('keys', 'list', '--all', '--queue', project.queue, '--json')
  expect(stdout).toContain('"state":"revoked"')
})

test('a second start without new units reports how to publish from the beginning, and --from-start does so', async () => {
  const project = await createClockProject({ 'src/connector.ts': three('one') })
  const first = startDev([project.dir, '--queue', project.queue])
  await first.untilLogged(isWaiting)
  await project.write('src/connector.ts', three('two'))
  const { checkpoint } = await first.untilLogged(
    ({ msg }) => msg.startsWith('nothing new') && msg.includes('--from-start'),
  )
  expect(checkpoint).toEqual({ number: 2 })
  await endDev(first)
  const second = startDev([project.dir, '--queue', project.queue, '--from-start'])
  expect(await second.untilShown(() => true)).toMatchObject({ seq: '0', value: { Word: 'two' } })
  await endDev(second)
  expect((await project.records()).map(({ seq, value }) => [seq, value.Word])).toEqual([
    ...['0', '1', '2'].map((seq) => [seq, 'two']),
  ])
})

test('the key r on a terminal publishes from the beginning: the API key stays valid, and earlier cursors are refused', async () => {
  const project = await createClockProject({ 'src/connector.ts': three('one') })
  const args = ['dev', project.dir, '--queue', project.queue, '--serve', '--port', '0']
  const line = [process.execPath, bin, ...args].map((arg) => `'${arg}'`).join(' ')
  const child = spawn('script', ['--quiet', '--return', '--flush', '--command', line, '/dev/null'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const until = async (text: string): Promise<string> => {
    for (;;) {
      const { value, done } = await lines.next()
      if (done) throw new Error(`It ended before it printed "${text}".`)
      const shown = stripVTControlCharacters(value)
      if (shown.includes(text)) return shown.trimEnd()
    }
  }
  const link = await until('#token=')
  expect(link).toMatch(/^Explorer: http:\S+$/)
  const asked = curlIn(await until('curl '))
  const page = (await (await ask(asked)).json()) as { data: { cursor: string; value: { Word: string } }[] }
  const { cursor } = page.data[0]!
  expect((await ask(asked.replace('limit=3', `from=${cursor}`))).status).toBe(200)

  await project.write('src/connector.ts', three('two'))
  await until('Press r to publish from the beginning')
  child.stdin.write('r')
  expect(curlIn(await until('curl '))).toBe(asked)
  const again = (await (await ask(asked)).json()) as typeof page
  expect(again.data.map(({ value }) => value.Word)).toEqual(['two', 'two', 'two'])
  expect((await ask(asked.replace('limit=3', `from=${cursor}`))).status).toBe(410)

  child.stdin.write('\u0003')
  expect((await ended)[0]).toBe(0)
})
