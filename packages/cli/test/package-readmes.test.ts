import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compilerOutput } from '../../testbed/guide/compile.ts'

const bin = fileURLToPath(new URL('../bin/connector.js', import.meta.url))
// Inside the repository, so that the packages are found as in a project that has installed them.
const root = fileURLToPath(new URL('../../../', import.meta.url))
mkdirSync(join(root, '.cache'), { recursive: true })
const folder = mkdtempSync(join(root, '.cache', 'package-readmes-'))

const readme = (name: string) => readFileSync(join(root, 'packages', name, 'README.md'), 'utf8')

/** The code blocks of one language, in order, each with the file name in the line before it. */
function codeBlocks(name: string, language: string): { file: string | undefined; code: string }[] {
  const blocks = readme(name).matchAll(/(?:`([^`\n]+)`:\n\n)?^```(\w+)\n(.*?)^```$/gms)
  return [...blocks].filter(([, , of]) => of === language).map(([, file, , code]) => ({ file, code: code! }))
}

/** Writes the files that a README shows. Returns its command lines. */
function follow(name: string, alter: (code: string) => string = (code) => code): string[] {
  for (const { file, code } of ['ts', 'yaml', 'proto'].flatMap((language) => codeBlocks(name, language))) {
    mkdirSync(dirname(join(folder, file!)), { recursive: true })
    writeFileSync(join(folder, file!), alter(code))
  }
  return codeBlocks(name, 'sh').flatMap(({ code }) => code.trim().split('\n'))
}

function commandOf(line: string): [string, string[]] {
  const [program, ...args] = line.replace(/ #.*/, '').trim().split(/\s+/)
  return [process.execPath, program === 'npx' ? [bin, ...args.slice(1)] : args]
}

const run = (line: string) => spawnSync(...commandOf(line), { cwd: folder, encoding: 'utf8' })

/** Starts a command that runs until it is stopped. Returns its first lines. */
async function start(line: string, lines: number): Promise<{ child: ChildProcess; output: string[] }> {
  const child = spawn(...commandOf(line), { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  const output: string[] = []
  for await (const text of createInterface(child.stdout!)) if (output.push(text) === lines) break
  return { child, output }
}

async function end(child: ChildProcess): Promise<number | null> {
  child.kill('SIGTERM')
  const [code] = (await once(child, 'exit')) as [number | null]
  return code
}

/** The example that the others read. */
let published: ReturnType<typeof run>[]
beforeAll(() => {
  published = follow('sdk').map(run)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('sdk: the connector publishes, and its test passes', () => {
  expect(published.map(({ status, stderr }) => (status === 0 ? 'done' : stderr))).toEqual(published.map(() => 'done'))
  const ticks = published[2]!.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).value)
  expect(ticks).toEqual([{ number: '1' }, { number: '2' }, { number: '3' }])
  expect(published[3]!.stdout).toContain('publishes every tick exactly once, whatever fails')
})

test('queue: a transaction is committed and read', () => {
  const [line] = follow('queue')
  expect(run(line!)).toMatchObject({ status: 0, stdout: codeBlocks('queue', 'text')[0]!.code })
})

test('catalog: every record of every topic is printed as JSON', () => {
  const [line] = follow('catalog')
  const { status, stdout } = run(line!)
  expect(status).toBe(0)
  const records = stdout
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text))
  expect(records).toMatchObject(
    ['1', '2', '3'].map((number) => ({ topic: 'me.clock.1_0_0.clock_Tick', value: { number } })),
  )
})

test('codegen: missing code is generated', () => {
  const [line] = follow('codegen')
  expect(run(line!)).toMatchObject({ status: 0, stdout: '' })
  rmSync(join(folder, 'src/generated'), { recursive: true })
  expect(run(line!)).toMatchObject({ status: 0, stdout: expect.stringContaining('added: schema.ts\n') })
  expect(existsSync(join(folder, 'src/generated/schema.ts'))).toBe(true)
})

test('server and client: the client reads what the server serves', async () => {
  const [serve] = follow('server')
  const { child, output } = await start(serve!, 2)
  try {
    const [url, key] = output
    const [read] = follow('client', (code) => code.replace('http://127.0.0.1:8080', url!).replace('hr_test_…', key!))
    expect(run(read!)).toMatchObject({ status: 0, stdout: codeBlocks('client', 'text')[0]!.code })
  } finally {
    expect(await end(child)).toBe(0)
  }
})

test('cli: every command of the README succeeds', async () => {
  const lines = follow('cli')
  const serve = lines.pop()!
  for (const line of lines) expect(run(line)).toMatchObject({ status: 0 })
  expect(serve).toContain('serve')
  // Another program may use port 8080.
  const { child, output } = await start(serve.replace('serve', 'serve --port 0'), 1)
  expect(output[0]).toMatch(/^http:/)
  expect(await end(child)).toBe(0)
})

test('the code of all READMEs compiles', async () => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  expect(files).toEqual(
    expect.arrayContaining(['src/connector.ts', 'transfer.ts', 'dump.ts', 'generate.ts', 'serve.ts', 'read.ts']),
  )
  expect(await compilerOutput(folder)).toBe('')
})
