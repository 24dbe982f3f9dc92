import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runInProcess } from './command-in-process.ts'
import { clockManifest, clockSource, createClockProject } from './developing/clock-project.ts'
import { connector } from './whole-path/connector-process.ts'

const source = clockSource("{ Word: config.word + ' ' + config.other }", { pause: 1 })

async function createProject(env: string) {
  const project = await createClockProject({
    'manifest.yaml': clockManifest(`
    word: { type: string }
    other: { type: string, default: none }
    chain: { type: string, pattern: "^[a-z]+$", default: main }
  required: [word]
topics:
  - { message: Tick, name: "{chain}_Tick" }`),
    'src/connector.ts': source.replace('; ; number++', '; number < 3; number++'),
    '.env': env,
  })
  expect(await connector('codegen', project.dir)).toMatchObject({ code: 0 })
  const run = (variables: NodeJS.ProcessEnv = {}, ...args: string[]) =>
    runInProcess(['run', project.dir, '--queue', project.queue, ...args], {
      variables: { ...process.env, ...variables },
    })
  return { ...project, run }
}

test('a run reads settings from .env in its folder, and the environment and --set win over it', async () => {
  const { run, records, dir } = await createProject(
    'CONNECTOR_WORD="from # file"\nCONNECTOR_OTHER=file\nNODE_OPTIONS=--bad\n',
  )
  const { code, stderr } = await run({ CONNECTOR_OTHER: 'environment' })
  expect(code, stderr).toBe(0)
  const read = stderr.split('\n').find((line) => line.includes('.env'))
  expect(JSON.parse(read!)).toMatchObject({ level: 30, msg: `read from ${join(dir, '.env')}: CONNECTOR_WORD` })
  expect((await records('acme.clock.1_0_0.main_Tick')).map(({ value }) => value.Word)).toEqual([
    ...['from # file environment', 'from # file environment', 'from # file environment'],
  ])
  expect(stderr).not.toContain('from #')
  const dry = await run({}, '--dry-run', '--json', '--set', 'other=set')
  expect(dry.stdout).toContain('"from # file set"')
})

test('a variable that belongs to no setting causes a warning, wherever it is set', async () => {
  const { run } = await createProject('CONNECTOR_WORD=x\nCONNECTOR_OTHERS=file\n')
  const { code, stderr } = await run({ CONNECTOR_WORDS: 'environment' }, '--dry-run')
  expect(code, stderr).toBe(0)
  expect(stderr).toMatch(
    /CONNECTOR_OTHERS in \S+\.env:2 belongs to no setting and is ignored\. Did you mean \W*CONNECTOR_OTHER\W/,
  )
  expect(stderr).toMatch(/CONNECTOR_WORDS belongs to no setting and is ignored\. Did you mean \W*CONNECTOR_WORD\W/)
})

test('the other commands with settings read them from .env too, and report it', async () => {
  const { run, dir, queue } = await createProject('CONNECTOR_WORD=x\nCONNECTOR_CHAIN=test\n')
  expect(await run()).toMatchObject({ code: 0 })
  const read = `read from ${join(dir, '.env')}: CONNECTOR_CHAIN, CONNECTOR_WORD\n`
  const args = [dir, '--queue', queue]
  const shown = await connector('checkpoint', 'show', ...args)
  expect(shown).toMatchObject({ code: 0, stderr: read, stdout: expect.stringContaining('acme.clock.1_0_0/test') })
  const json = await connector('checkpoint', 'show', ...args, '--json')
  expect(JSON.parse(json.stderr)).toMatchObject({ level: 30, msg: read.trimEnd() })
  expect(JSON.parse(json.stdout)).toMatchObject({ writer: 'acme.clock.1_0_0/test' })
  expect(await connector('register', ...args)).toMatchObject({
    ...{ code: 0, stderr: read, stdout: 'acme.clock.1_0_0.test_Tick\n' },
  })
  const [verified, verifiedAsJson] = await Promise.all([
    connector('verify', ...args),
    connector('verify', ...args, '--json'),
  ])
  expect(verified.stderr).toContain(read)
  expect(verified.stdout).toMatch(
    /^Records are not compared with the source: this connector has no "verify"\..*\nNo problems: 3 records up to unit 3; .* none of them compared/,
  )
  expect(JSON.parse(verifiedAsJson.stdout)).toMatchObject({ summary: { units: 3, compared: 0, comparable: false } })
  expect(await connector('checkpoint', 'reset', ...args, '--start', '--yes')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('acme.clock.1_0_0/test is reset'),
  })
})

test('the Kafka configuration is read from .env', async () => {
  const { run, dir } = await createProject(`CONNECTOR_WORD=x\n`)
  await appendFile(join(dir, '.env'), `HEADRACE_KAFKA_CONFIG=${dir}/nowhere.properties\n`)
  const ended = await run({}, '--queue', 'kafka://127.0.0.1:1')
  expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('nowhere.properties') })
})

test('an invalid line ends a command with its place, as text and as JSON', async () => {
  const { run, dir } = await createProject('CONNECTOR_WORD=x\nsecret word\n')
  const { code, stderr } = await run()
  expect([code, stderr]).toEqual([
    1,
    `error: ${join(dir, '.env')}:2:1: This line has no "=". Write NAME=value, NAME="a value with spaces or # in it", ` +
      'or # and a comment. (invalid_env_file)\n',
  ])
  const json = await run({}, '--json')
  expect(JSON.parse(json.stderr)).toMatchObject({ level: 60, code: 'invalid_env_file' })
})
