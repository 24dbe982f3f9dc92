import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Chain, startChain } from '../../testbed/chain/chain.ts'
import { compilerOutput } from '../../testbed/guide/compile.ts'

const readme = readFileSync(new URL('../../evm/README.md', import.meta.url), 'utf8')
const bin = fileURLToPath(new URL('../bin/connector.js', import.meta.url))
// Inside the repository, so that the packages are found as in a project that has installed them.
const root = fileURLToPath(new URL('../../../', import.meta.url))
mkdirSync(join(root, '.cache'), { recursive: true })
const folder = mkdtempSync(join(root, '.cache', 'evm-readme-'))
let chain: Chain

beforeAll(async () => {
  chain = await startChain()
  await chain.mine(20)
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await chain?.stop()
})

const codeBlock = (language: string) => new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(readme)![1]!
const run = (program: string, args: readonly string[]) =>
  spawnSync(process.execPath, [program, ...args], { cwd: folder, encoding: 'utf8' })

test('the connector of the README of @headrace/evm works as printed, and compiles', async () => {
  mkdirSync(join(folder, 'gas', 'src'), { recursive: true })
  writeFileSync(join(folder, 'gas', 'manifest.yaml'), codeBlock('yaml'))
  writeFileSync(join(folder, 'gas', 'gas.proto'), codeBlock('proto'))
  writeFileSync(join(folder, 'gas', 'src', 'connector.ts'), codeBlock('ts'))

  const [codegen, publish, read] = codeBlock('sh')
    .trim()
    .split('\n')
    .map((line) => run(bin, line.replace('http://127.0.0.1:8545', chain.rpc).split(' ').slice(1)))
  expect(codegen).toMatchObject({ status: 0 })
  expect(publish).toMatchObject({ status: 0 })
  const usage = read!.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).value)
  expect(usage.map(({ block }) => Number(block))).toEqual(Array.from({ length: 21 }, (_, number) => number))
  expect(Number(usage.at(-1).used)).toBeGreaterThan(21_000)

  expect(await compilerOutput(folder, ['gas/src'])).toBe('')
})
