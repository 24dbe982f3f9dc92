import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { compilerOutput } from '../../testbed/guide/compile.ts'

const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')
const bin = fileURLToPath(new URL('../bin/connector.js', import.meta.url))
// Inside the repository, so that the compiler finds the packages as it would in a project that has installed them.
const root = fileURLToPath(new URL('../../../', import.meta.url))
mkdirSync(join(root, '.cache'), { recursive: true })
const folder = mkdtempSync(join(root, '.cache', 'readme-'))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The code blocks of one language in the section with the files of a connector, in order. */
function codeBlocks(language: string): string[] {
  const section = readme.split('\n## ').find((part) => part.startsWith('What you write'))!
  return [...section.matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .filter(([, of]) => of === language)
    .map(([, , code]) => code!)
}

function runLine(line: string): { status: number | null; stdout: string; stderr: string } {
  const [, ...args] = line.replace(/#.*/, '').trim().split(/\s+/).slice(1)
  return spawnSync(process.execPath, [bin, ...args], { cwd: folder, encoding: 'utf8' })
}

test('the first connector of the README works as printed', () => {
  mkdirSync(join(folder, 'clock', 'src'), { recursive: true })
  writeFileSync(join(folder, 'clock', 'manifest.yaml'), codeBlocks('yaml')[0]!)
  writeFileSync(join(folder, 'clock', 'clock.proto'), codeBlocks('proto')[0]!)
  writeFileSync(join(folder, 'clock', 'src', 'connector.ts'), codeBlocks('ts')[0]!)

  const [codegen, run, read] = codeBlocks('sh')[0]!.trim().split('\n')
  expect(runLine(codegen!)).toMatchObject({ status: 0 })
  expect(runLine(run!)).toMatchObject({ status: 0 })
  expect(runLine(run!)).toMatchObject({ status: 0 })
  const { stdout } = runLine(read!)
  const numbers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).value.number)
  expect(numbers).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9', '10'])
})

test('the first connector of the README compiles', async () => {
  expect(await compilerOutput(folder, ['clock/src'])).toBe('')
})

test('the README gives no figure that docs/benchmarks.md does not', () => {
  const benchmarks = readFileSync(new URL('../../../docs/benchmarks.md', import.meta.url), 'utf8')
  const rows = readme
    .match(/^\| what \| here \|.*?\n\n/ms)![0]
    .trim()
    .split('\n')
    .slice(2)
  for (const row of rows) {
    const figures = row
      .split('|')
      .slice(2)
      .join('|')
      .match(/\d[\d.,]*( [kM])?/g)!
    for (const figure of figures) expect(benchmarks, row).toContain(figure.trim())
  }
  expect(rows.length).toBeGreaterThan(5)
})
