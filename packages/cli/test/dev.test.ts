import { randomBytes } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { clockManifest, clockProto, clockSource, clockTopic, createClockProject } from './developing/clock-project.ts'
import { endDev, isStarted, type Shown, startDev } from './developing/dev-process.ts'
import { connector } from './whole-path/connector-process.ts'

const word =
  (text: string) =>
  ({ value }: Shown) =>
    value?.Word === text

test('after an edit of the source, of a .proto file or of the manifest the same topic continues without a gap, and stale or missing code is generated again', async () => {
  const project = await createClockProject({ 'src/generated/schema.ts': 'export const schema = null\n' })
  const generated = join(project.dir, 'src/generated')
  const dev = startDev([project.dir, '--queue', project.queue])
  const first = await dev.untilShown(() => true)
  expect(first).toMatchObject({ topic: clockTopic, seq: '0', value: { Number: '0', Word: 'one' } })
  expect(await readFile(join(generated, 'schema.ts'), 'utf8')).toContain('defineSchema')

  // In several writes, as some editors do.
  const second = clockSource("{ Word: 'two' }")
  await project.write('src/connector.ts', '')
  await writeFile(join(project.dir, 'src/connector.ts'), second.slice(0, 200))
  await writeFile(join(project.dir, 'src/connector.ts'), second)
  await dev.untilShown(word('two'))

  await project.replace('proto/clock.proto', clockProto('  optional string Extra = 3;\n'))
  expect(
    (await dev.untilLogged(({ msg, files }) => msg === 'generated' && String(files).includes('clock'))).files,
  ).toContain('src/generated/')
  await dev.untilLogged(isStarted)
  await project.write('src/words/label.ts', "export const label: string = 'three'\n")
  const imported = { head: "import { label } from './words/label.ts'" }
  await project.write('src/connector.ts', clockSource("{ Word: label, Extra: 'more' }", imported))
  expect((await dev.untilShown(word('three'))).value).toMatchObject({ Extra: 'more' })
  await rm(generated, { recursive: true })
  await project.replace('src/words/label.ts', "export const label: string = 'four'\n")
  await dev.untilShown(word('four'))

  await project.write('src/connector.ts', clockSource('{ Word: config.label }'))
  await project.write('manifest.yaml', clockManifest('{ label: { type: string, default: five } }'))
  await dev.untilShown(word('five'))

  const ended = await endDev(dev)
  expect(ended).toMatchObject({ code: 0, signal: null })
  const records = await project.records()
  const numbers = records.map((_, number) => `${number}`)
  expect(records.map(({ seq }) => seq)).toEqual(numbers)
  expect(records.map(({ value }) => value.Number)).toEqual(numbers)
  expect(records.map(({ unit }) => unit)).toEqual(records.map((_, number) => `${number + 1}`))
  const words = records.map(({ value }) => value.Word)
  expect(words.filter((one, place) => one !== words[place - 1])).toEqual([...['one', 'two', 'three', 'four', 'five']])
  const shown = dev.shown.reduce((sum, { more = 1 }) => sum + more, 0)
  expect(shown, 'all that is published is shown or counted').toBe(records.length)
}, 300_000)

test('changed settings in .env and in the file of --config take effect, wherever the file is', async () => {
  const project = await createClockProject({
    'manifest.yaml': clockManifest(
      '{ label: { type: string, default: none }, other: { type: string, default: none } }',
    ),
    'src/connector.ts': clockSource("{ Word: config.label + ' ' + config.other }"),
  })
  const elsewhere = await createClockProject()
  const dev = startDev([
    project.dir,
    '--queue',
    project.queue,
    '--config',
    join(elsewhere.dir, 'node_modules/dev.yaml'),
  ])
  await elsewhere.write('node_modules/dev.yaml', 'other: file\n')
  await dev.untilShown(word('none file'))
  await project.write('.env', 'CONNECTOR_LABEL=env\n')
  await dev.untilShown(word('env file'))
  await elsewhere.replace('node_modules/dev.yaml', 'other: new\n')
  await dev.untilShown(word('env new'))
  expect((await endDev(dev)).code).toBe(0)
})

test('only the first records of each second are shown, and the others are counted', async () => {
  const project = await createClockProject({
    'src/connector.ts': `import { defineConnector, type Source, type Units } from '@headrace/sdk'
import { schema } from './generated/schema.ts'

export default defineConnector({
  schema,
  async *read({ history }: Source<typeof schema, number>): Units<typeof schema, number> {
    for (let unit = (history()[0] ?? 0) + 1; unit <= 20; unit++)
      yield { checkpoint: unit, messages: { Tick: Array.from({ length: 100 }, () => ({ Number: 0n, Word: 'x'.repeat(100) })) } }
  },
})
`,
  })
  const dev = startDev([project.dir, '--queue', project.queue])
  await dev.untilLogged(({ msg }) => msg.startsWith('the source has ended'))
  const { stdout } = await endDev(dev)
  const shown = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Shown)
  expect(shown.slice(0, 10).map(({ seq }) => seq)).toEqual(Array.from({ length: 10 }, (_, seq) => `${seq}`))
  expect(shown[10]).toEqual({ more: expect.any(Number) })
  expect(shown.length).toBeLessThan(200)
  expect(shown.reduce((sum, { more = 1 }) => sum + more, 0)).toBe(2000)
})

test.skipIf(inject('kafka') === null)('on Kafka the topic continues without a gap after an edit', async () => {
  const name = `clock${randomBytes(6).toString('hex')}`
  const project = await createClockProject({ 'manifest.yaml': clockManifest().replace('clock', name) })
  const queue = `kafka://${inject('kafka')}`
  const dev = startDev([project.dir, '--queue', queue])
  await dev.untilShown(word('one'))
  await project.replace('src/connector.ts', clockSource("{ Word: 'two' }"))
  await dev.untilShown(word('two'))
  expect(await endDev(dev)).toMatchObject({ code: 0, signal: null })
  const { stdout } = await connector(
    'read',
    `acme.${name}.1_0_0.${name}_Tick`,
    '--queue',
    queue,
    '--json',
    '--order',
    'asc',
  )
  const records = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(records.map(({ seq, value }) => [seq, value.Number])).toEqual(records.map((_, n) => [`${n}`, `${n}`]))
  expect(dev.shown.reduce((sum, { more = 1 }) => sum + more, 0)).toBe(records.length)
})
