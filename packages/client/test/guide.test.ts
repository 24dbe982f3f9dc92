import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openLine } from '../../server/test/clients/line.ts'
import { numbers } from '../../server/test/clients/shapes.ts'
import { orders, type ServedShop, serveShop } from '../../server/test/shop/served-shop.ts'
import { programs } from './guide.ts'

const run = promisify(execFile)
let shop: ServedShop

beforeAll(async () => {
  shop = await serveShop()
  await shop.publish(orders, 1500)
})
afterAll(() => shop[Symbol.asyncDispose]())

const variables = () => ({ ...process.env, URL: shop.url, KEY: shop.key, TOPIC: orders })

test('curl reads the newest records, all records, and live ones', async () => {
  const [newest, all, live] = programs('sh')
  const options = { env: variables(), maxBuffer: 100 << 20 }
  const page = JSON.parse((await run('sh', ['-c', newest!], options)).stdout)
  expect(page.data.map(({ seq }: { seq: string }) => Number(seq))).toEqual([1499, 1498, 1497])
  const lines = (await run('sh', ['-c', all!], options)).stdout.trimEnd().split('\n')
  expect(lines.map((line) => Number(JSON.parse(line).seq))).toEqual(numbers(0, 1500))
  const events = await readLines(['sh', '-c', `exec ${live}`], (line) => line.startsWith('data: {"topic":"acme'), 5)
  expect(events.map((line) => Number(JSON.parse(line.slice(6)).seq))).toEqual(numbers(1495, 1500))
})

test('the program for Node reads the history and then live', async () => {
  const [program] = programs('ts')
  const found = await readLines(
    [process.execPath, '--input-type=module', '--eval', program!],
    (line) => /^\d+ \[?/.test(line),
    1500,
  )
  expect(found.map((line) => Number.parseInt(line, 10))).toEqual(numbers(0, 1500))
})

test('the program for Python reads the history and then live, through broken connections', async () => {
  const [program] = programs('python')
  await using line = await openLine(Number(new URL(shop.url).port))
  const cutInPage = line.cutAfter(50_000)
  let published = 1500
  const found = await readLines(
    ['python3', '-c', program!],
    () => true,
    1520,
    async (count) => {
      if (count < published) return
      if (count === 1510) line.cut()
      published += 10
      await shop.publish(orders, 10)
    },
    line.url,
  )
  await cutInPage
  expect(found.map((line) => Number(line.split(' ')[1]))).toEqual(numbers(0, 1520))
})

/** Runs a program until it has printed a number of matching lines, and returns those. */
async function readLines(
  [file, ...args]: string[],
  isOne: (line: string) => boolean,
  count: number,
  onLine: (count: number) => unknown = () => {},
  url: string = shop.url,
): Promise<string[]> {
  const env = { ...variables(), URL: url }
  const child = spawn(file!, args, { cwd: import.meta.dirname, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const found: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    if (isOne(line)) await onLine(found.push(line))
    if (found.length === count) break
  }
  child.kill('SIGKILL')
  await exited
  return found
}
