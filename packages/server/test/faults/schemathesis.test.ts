import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, inject, test } from 'vitest'
import { preparePython } from '../../../testbed/children/python.ts'
import { planFaults } from '../../../testbed/faults/fault-plan.ts'
import { environment } from '../environment.ts'
import { orders, type ServedShop, serveShop } from '../shop/served-shop.ts'

const python = await preparePython(['schemathesis==4.32.5'])
const missing = 'unavailable' in python ? python.unavailable : undefined
if (missing && environment.ci) throw new Error(`The document cannot be tried out: ${missing}.`)

const title = 'schemathesis, which reads the OpenAPI document'
describe.skipIf(missing !== undefined)(`${title}${missing ? `, skipped: ${missing}` : ''}`, () => {
  test('finds no response that the document does not describe', async () => {
    await using shop = await serveShop()
    await shop.publish(orders, 200, (number) => ({ note: `${number}` }))
    const plan = planFaults('schemathesis', { once: 10, scaled: 60, full: 3000 }, ['request'])
    const { stdout, exitCode } = await tryOut(shop, plan.count)
    expect([exitCode, exitCode === 0 ? '' : stdout]).toEqual([0, ''])
    const [, tried] = /^ +(\d+) generated, \1 passed$/m.exec(stdout)!
    for (let n = 0; n < Number(tried); n++) plan.hit('request')
    plan.expectAllHit()
  })
})

/** A program for `python -c`, because `python -m` cannot run Schemathesis. */
const schemathesis = 'from schemathesis.cli import schemathesis; schemathesis()'

const configurationOf = (key: string) => `
[parameters]
"path.topic" = "${orders}"
[auth.openapi.bearer]
bearer = "${key}"
[checks.negative_data_rejection]
# By default without 413 and 414: a text that is too long for its parameter may be too long for a body or a URL.
expected-statuses = ["4xx"]
`

/**
 * Runs Schemathesis on every path except that of events, whose responses never end.
 *
 * Two of its checks are disabled: that every text in the form of a cursor is accepted, and that REST without a key
 * answers 401, because the gateway answers 429.
 */
async function tryOut(
  { url, key }: ServedShop,
  examplesOfEach: number,
): Promise<{ stdout: string; exitCode?: number }> {
  const directory = await mkdtemp(join(tmpdir(), 'headrace-schemathesis-'))
  const configuration = join(directory, 'schemathesis.toml')
  await writeFile(configuration, configurationOf(key))
  const program = join((python as { folder: string }).folder, 'python3')
  const options = [
    ...['--exclude-path', '/sse/v1', '--phases', 'coverage,fuzzing', '--max-examples', `${examplesOfEach}`],
    ...['--exclude-checks', 'positive_data_acceptance,ignored_auth', '--seed', `${inject('faultSeed')}`],
    ...['--continue-on-failure', '--no-shrink', '--warnings', 'off', '--no-color'],
  ]
  try {
    const command = ['--config-file', configuration, 'run', `${url}/api/v1/openapi.json`, ...options]
    return await execa(program, ['-c', schemathesis, ...command], { cwd: directory, reject: false })
  } finally {
    await rm(directory, { recursive: true })
  }
}
