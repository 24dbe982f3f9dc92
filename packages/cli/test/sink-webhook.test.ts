import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { orders, serveShop } from '../../server/test/shop/served-shop.ts'
import { startReceiver } from '../../sink/test/webhook/receiver.ts'
import { runInProcess } from './command-in-process.ts'

test('connector sink sends a topic to a webhook, with the secret of the environment or of .env', async () => {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const state = await mkdtemp(join(tmpdir(), 'headrace-webhook-'))
  onTestFinished(() => rm(state, { recursive: true }))
  await using shop = await serveShop()
  await shop.publish(orders, 25)
  await using receiver = await startReceiver({ secret })
  const args = ['sink', `webhook:${receiver.url}`, '--topic', orders, '--from', shop.url]
  const run = (variables: Record<string, string>) =>
    runInProcess([...args, '--state', state, '--batch', '10', '--once', '--json'], {
      variables: { HEADRACE_API_KEY: shop.key, ...variables },
    })

  expect(await run({})).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('HEADRACE_WEBHOOK_SECRET is not set'),
  })
  const { code, stdout, stderr } = await run({ HEADRACE_WEBHOOK_SECRET: secret })
  expect({ code, ...JSON.parse(stdout) }).toEqual({ code: 0, records: 25, reverts: 0, reason: 'reached_head' })
  expect(stderr).not.toContain(secret)
  expect(receiver.mistakes).toEqual([])
  expect(receiver.arrivals.map(({ records }) => records.length)).toEqual([10, 10, 5])

  await writeFile(join(state, '.env'), `HEADRACE_WEBHOOK_SECRET=${secret}\n`)
  const folder = vi.spyOn(process, 'cwd').mockReturnValue(state)
  await shop.publish(orders, 1)
  expect(await run({})).toMatchObject({ code: 0, stdout: expect.stringContaining('"records":1') })
  folder.mockRestore()
  expect(receiver.mistakes).toEqual([])
})
