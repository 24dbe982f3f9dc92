import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { FencedError, type Queue, QueueUnavailableError, type WriterOptions } from '@headrace/queue'
import { createTestProject, type TestProject } from '@headrace/sdk/testing'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { createPausePoint } from './half-way.ts'
import { parseScript, scriptConnector } from './reverts/script.ts'

const engines: [string, string | undefined][] = [['embedded', undefined]]
const kafka = inject('kafka')
if (kafka) engines.push(['Kafka', `kafka://${kafka}`])

let project: TestProject

describe.each(engines)('on %s an older run', (_, queue) => {
  beforeEach(async () => {
    const chain = Array.from(randomBytes(12), (byte) => String.fromCharCode(97 + (byte % 26))).join('')
    project = await createTestProject(new URL('chain', import.meta.url), {
      settings: { chain },
      ...(queue && { queue }),
    })
  })
  afterEach(() => project.close())

  /** Pauses a run before the sixth unit of a script while a newer run publishes. */
  async function takeOver(script: string, options: { queue?: Queue } = {}): Promise<unknown> {
    const pausePoint = createPausePoint()
    const older = scriptConnector(parseScript(script), async ({ checkpoint }) => {
      if (checkpoint.step === 5) await pausePoint.pause()
    })
    const running = project.run(older, { oneByOne: true, ...options })
    running.catch(() => {})
    await pausePoint.reached
    await project.run(scriptConnector(parseScript('a0 a1 a2 a3 a4 a5 a6 a7 a8 a9')))
    pausePoint.resume()
    return running.catch((error: unknown) => error)
  }

  test('whose source reverts after a newer run has published is fenced, and names the newer run', async () => {
    const error = await takeOver('a0 a1 a2 a3 a4 a2<b3 b4')
    expect(error).toBeInstanceOf(FencedError)
    expect((error as FencedError).by).toMatchObject({ host: hostname(), time: expect.any(Number) })
    expect((error as FencedError).message).toMatch(
      /^Run \S+ on host ".+" claimed "acme\.chain\.1_0_0\/\w+" at 20\S+Z, so/,
    )
    expect(await project.checkpoint()).toMatchObject({ name: 'a9' })
  })

  test('that fails because the queue is unreachable is fenced too', async () => {
    let begun = 0
    const queue: Queue = Object.create(project.queue, {
      openWriter: {
        async value(options: WriterOptions) {
          const writer = await project.queue.openWriter(options)
          const begin = () => {
            if (++begun > 5) throw new QueueUnavailableError('no broker')
            return writer.begin()
          }
          return { ...writer, begin }
        },
      },
    })
    const ended = await takeOver('a0 a1 a2 a3 a4 a5', { queue })
    expect(ended).toBeInstanceOf(FencedError)
  })
})
