import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runInProcess } from './command-in-process.ts'
import { clockManifest, clockProto, clockSource, clockTopic, createClockProject } from './developing/clock-project.ts'
import { endDev, isError, isStarted, isWaiting, type Shown, startDev } from './developing/dev-process.ts'

const word =
  (text: string) =>
  ({ value }: Shown) =>
    value?.Word === text
const whole = clockSource("{ Word: 'whole' }")

/** An edit that breaks a connector, the expected log line, and the file that fixes it. */
const mistakes: Record<string, { path: string; broken: string; code: string; message: string; fixed: string }> = {
  'an import that ends the process': {
    path: 'src/connector.ts',
    broken: 'process.exit(7)\n',
    code: 'connector_crashed',
    message: 'exit code 7',
    fixed: whole,
  },
  'an error that nothing catches': {
    path: 'src/connector.ts',
    broken: `setTimeout(() => { throw new Error('stray') })\n${whole}`,
    code: 'connector_crashed',
    message: 'src/connector.ts:1:26: Error: stray',
    fixed: whole,
  },
  'a message that cannot be encoded': {
    path: 'src/connector.ts',
    broken: clockSource('{}'),
    code: 'bad_message',
    message: 'a string field holds a value of type undefined',
    fixed: whole,
  },
  'a manifest that is not YAML': {
    path: 'manifest.yaml',
    broken: `${clockManifest()}  - :\n`,
    code: 'invalid_manifest',
    message: 'manifest.yaml:',
    fixed: clockManifest(),
  },
  'a manifest with a mistake': {
    path: 'manifest.yaml',
    broken: clockManifest().replace('1.0.0', 'one'),
    code: 'invalid_manifest',
    message: 'manifest.yaml:3:',
    fixed: clockManifest(),
  },
  'a .proto file with a mistake': {
    path: 'proto/clock.proto',
    broken: clockProto('  strong Extra = 3;\n'),
    code: 'invalid_manifest',
    message: 'clock.proto:6:',
    fixed: clockProto(),
  },
  'a setting that is missing': {
    path: 'manifest.yaml',
    broken: clockManifest('{ key: { type: string } }\n  required: [key]'),
    code: 'invalid_settings',
    message: 'CONNECTOR_KEY',
    fixed: clockManifest(),
  },
  'a line in .env that sets nothing': {
    path: '.env',
    broken: '# a key\nCONNECTOR_KEY\n',
    code: 'invalid_env_file',
    message: '.env:2:',
    fixed: '',
  },
}

test('each mistake is reported without a stack, and the command waits for the change that fixes it', async () => {
  const project = await createClockProject({ 'src/connector.ts': 'export {' })
  const dev = startDev([project.dir, '--queue', project.queue])
  const logged = await dev.untilLogged(isError)
  expect(logged).toMatchObject({ code: 'connector_not_loaded', msg: expect.stringContaining('src/connector.ts:1') })
  let fixLast = () => project.write('src/connector.ts', whole)
  for (const [name, { path, broken, code, message, fixed }] of Object.entries(mistakes)) {
    await dev.untilLogged(isWaiting)
    await fixLast()
    await project.write(path, broken)
    const logged = await dev.untilLogged(isError)
    expect(logged, name).toMatchObject({ code, msg: expect.stringContaining(message) })
    expect(logged.msg, name).not.toMatch(/^ {4}at /m)
    fixLast = () => project.replace(path, fixed)
  }
  await dev.untilLogged(isWaiting)
  await fixLast()
  await dev.untilLogged(isStarted)
  await dev.untilShown(word('whole'))
  expect(await endDev(dev)).toMatchObject({ code: 0 })
  const records = await project.records()
  expect(records.map(({ seq, value }) => [seq, value.Number])).toEqual(records.map((_, n) => [`${n}`, `${n}`]))
})

test('a change that would break readers is refused, and new topics or an empty queue start from the beginning', async () => {
  const project = await createClockProject()
  const folder = project.queue.slice('embedded:'.length)
  const dev = startDev([project.dir, '--queue', project.queue])
  await dev.untilShown(word('one'))
  await project.write('src/connector.ts', clockSource('{ Word: 7n }'))
  await project.write('proto/clock.proto', clockProto().replace('string Word = 2', 'uint64 Word = 2'))
  const logged = await dev.untilLogged(({ code }) => code === 'incompatible_schema')
  expect(logged.msg).toMatch(/clock\.proto:5:.*Field "Word" of Tick was string and is uint64/s)
  expect(logged.msg).toContain('topicVersion')
  await dev.untilLogged(({ msg }) => msg.includes(`remove ${folder}, then save a file`))
  await dev.untilLogged(isWaiting)
  await project.write('manifest.yaml', clockManifest('{}', 'topicVersion: 2.0.0\n'))
  const topic = clockTopic.replace('1_0_0', '2_0_0')
  expect(await dev.untilShown((line) => line.topic === topic)).toMatchObject({ seq: '0', value: { Word: '7' } })

  await project.write('src/connector.ts', clockSource("{ Word: 'eight' }"))
  await project.write('proto/clock.proto', clockProto())
  await dev.untilLogged(({ code }) => code === 'incompatible_schema')
  await dev.untilLogged(isWaiting)
  await rm(folder, { recursive: true })
  await project.write('src/connector.ts', clockSource("{ Word: 'nine' }"))
  expect(await dev.untilShown(word('nine'))).toMatchObject({ topic, seq: '0' })
  expect(await endDev(dev)).toMatchObject({ code: 0 })
})

test('a source that has ended waits for a change, and continues after its last unit', async () => {
  const until = (last: number, text: string) =>
    clockSource(`{ Word: '${text}' }`, { pause: 1 }).replace('; ; number++', `; number < ${last}; number++`)
  const project = await createClockProject({ 'src/connector.ts': until(3, 'one') })
  const dev = startDev([project.dir, '--queue', project.queue])
  await dev.untilLogged(({ msg }) => msg === 'the source has ended: waiting for a change')
  await project.write('src/connector.ts', until(5, 'two'))
  await dev.untilLogged(({ msg }) => msg === 'the source has ended: waiting for a change')
  expect(await endDev(dev)).toMatchObject({ code: 0 })
  expect((await project.records()).map(({ seq, value }) => [seq, value.Number, value.Word])).toEqual([
    ...['0', '1', '2'].map((number) => [number, number, 'one']),
    ...['3', '4'].map((number) => [number, number, 'two']),
  ])
})

test('an error that no change can fix ends the command as it ends a run', async () => {
  const project = await createClockProject()
  expect(await runInProcess(['dev', project.dir, '--queue', 'nowhere:1'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('invalid_queue_url'),
  })
  const empty = join(project.dir, 'empty')
  expect(await runInProcess(['dev', empty])).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no') })
})
