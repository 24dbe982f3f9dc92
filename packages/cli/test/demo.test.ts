import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))

function startDemo(...args: string[]) {
  const child = spawn(process.execPath, ['scripts/demo/main.ts', ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  onTestFinished(() => endGroup(child.pid!))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const ended = once(child, 'close').then(([code]) => code as number)
  /** Reads up to the first line that matches. */
  const until = async (pattern: RegExp) => {
    for (;;) {
      const { value, done } = await lines.next()
      if (done) throw new Error(`The demo ended without a line like ${pattern}.`)
      if (pattern.test(value)) return value
    }
  }
  return { child, until, ended }
}

/** Runs a line in a shell in another folder, as pasted, until it has printed something that matches. */
async function paste(line: string, pattern: RegExp): Promise<void> {
  const child = spawn('bash', ['-c', `exec ${line}`], { cwd: tmpdir(), stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  for await (const chunk of child.stdout) {
    output += chunk
    if (pattern.test(output)) break
  }
  child.kill()
  expect(output).toMatch(pattern)
}

/** Kills a process and those that it has started. */
function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL')
  } catch {
    // All processes of the group have ended.
  }
}

async function childrenOf(pid: number): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'pid=', '--ppid', String(pid)])
  return stdout.trim().split(/\s+/)
}

const isRunning = (pid: string) => {
  try {
    return process.kill(Number(pid), 0)
  } catch {
    return false
  }
}

test('the demo prints a link and commands that work as printed, and leaves nothing running when it is stopped', async () => {
  const { child, until, ended } = startDemo()
  const link = await until(/\S/)
  expect(link).toMatch(/^Explorer {2}http:\/\/127\.0\.0\.1:\d+\/#token=\S+$/)
  const [page, token] = link.split(' ').at(-1)!.split('#token=')
  expect(await (await fetch(page!, { headers: { accept: 'text/html' } })).text()).toMatch(/^<!doctype html>/)
  const topics = await fetch(`${page}api/v1/topics`, { headers: { authorization: `Bearer ${token}` } })
  expect(((await topics.json()) as { topics: unknown[] }).topics).toHaveLength(2)
  const rest = await until(/^curl -s /)
  const events = await until(/^curl -sN /)
  const socket = await until(/ -e "/)
  await paste(rest, /"data":\[\{"topic":"headrace\.evm\.1_0_0\.ethereum_Block".*"hasMore":(true|false)\}/)
  await paste(events, /\ndata: \{"topic":"headrace\.evm\.1_0_0\.ethereum_Block"/)
  await paste(socket, /"method":"subscription"/)
  const children = await childrenOf(child.pid!)
  expect(children).toHaveLength(3)
  child.kill('SIGINT')
  expect(await ended).toBe(0)
  expect(children.filter(isRunning)).toEqual([])
})

test('the demo ends by itself after the requested number of blocks', async () => {
  const { until, ended } = startDemo('--blocks', '2')
  await until(/ {2}block 0 {2}/)
  await until(/ {2}block 1 {2}[1-9]/)
  expect(await ended).toBe(0)
})
