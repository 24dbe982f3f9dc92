import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createClient } from '@headrace/client'
import { runSink, type SinkDefinition, verifySink } from '@headrace/sink'
import { execa } from 'execa'
import { pino } from 'pino'
import { afterAll, expect, test } from 'vitest'
import { orders, serveShop } from '../../server/test/shop/served-shop.ts'
import { compilerOutput } from '../../testbed/guide/compile.ts'

const root = join(import.meta.dirname, '../../..')
const page = readFileSync(join(root, 'docs/guides/sink-author.md'), 'utf8')
// Inside the repository, so that the packages are found as in a project that has installed them.
mkdirSync(join(root, '.cache'), { recursive: true })
const folder = mkdtempSync(join(root, '.cache', 'sink-author-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
for (const [, name, code] of page.matchAll(/`([\w.-]+\.ts)`:\n\n```ts\n(.*?)^```$/gms))
  writeFileSync(join(folder, name!), code!)

test('the destination of the guide passes the conformance suite with the test of the guide', async () => {
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  expect(await compilerOutput(folder)).toBe('')
  const { stdout } = await execa(process.execPath, ['--test', 'sink.test.ts'], { cwd: folder })
  expect(stdout).toContain('cases passed. Refused: nothing.')
})

test('the sink of the guide is run and verified', async () => {
  await using shop = await serveShop()
  await shop.publish(orders, 20)
  const { sqliteSink } = (await import(pathToFileURL(join(folder, 'sink.ts')).href)) as {
    sqliteSink: (file: string) => SinkDefinition
  }
  const options = {
    ...{ sink: sqliteSink(join(folder, 'shop.db')), client: createClient({ url: shop.url, apiKey: shop.key }) },
    ...{ topics: [orders], signal: AbortSignal.timeout(60_000), log: pino({ level: 'silent' }) },
  }
  await runSink({ ...options, until: 'head' })
  const findings: unknown[] = []
  const summary = await verifySink({ ...options, onFinding: (finding) => void findings.push(finding) })
  expect(findings).toEqual([])
  expect(summary.records).toBe(20)
})
