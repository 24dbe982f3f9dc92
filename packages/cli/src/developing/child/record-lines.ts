import { readRecordHeaders, type TopicRegistration } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import type { RunObserver } from '@headrace/sdk'
import type { Logger } from 'pino'
import { jsonLine } from '../../output/result.ts'
import { openShownTopic, type ShownTopic } from './shown-topic.ts'

export interface RecordLines {
  readonly observer: RunObserver
  end(): Promise<void>
}

export interface RecordLinesOptions {
  readonly queue: Queue
  readonly registrations: readonly TopicRegistration[]
  readonly json: boolean
  readonly width: number
  readonly log: Logger
  print(lines: string): void
}

/** Most records of a topic per window; of further ones only the number is shown. */
const shownInWindow = 10
const windowMs = 1000

/**
 * Shows records from the current ends of the topics on, as read back from the queue. An error here does not end the
 * run.
 */
export async function createRecordLines(options: RecordLinesOptions): Promise<RecordLines> {
  const { queue, registrations, json, log, print } = options
  const names = registrations.map(({ topic }) => topic)
  const before = await queue.describe(names)
  let topics: Promise<ShownTopic[]> = Promise.resolve([])
  let committed = 0
  let printed = 0
  let work = Promise.resolve()
  let isScheduled = false
  let timer: NodeJS.Timeout | undefined

  return {
    observer: {
      onStart() {
        topics = openTopics()
      },
      onCommit({ records }) {
        committed = records
        if (!isScheduled) work = work.then(showNext)
        isScheduled = true
        timer ??= setTimeout(closeWindow, windowMs)
      },
    },
    async end() {
      clearTimeout(timer)
      await work
      await endWindow()
    },
  }

  async function openTopics(): Promise<ShownTopic[]> {
    try {
      const described = await queue.describe(names)
      return registrations.flatMap((registration) => {
        const now = described.find(({ name }) => name === registration.topic)
        const start = before.find(({ id }) => id === now?.id)
        return now ? [openShownTopic(registration, now, start, options)] : []
      })
    } catch (error) {
      warn(error)
      return []
    }
  }

  async function showNext(): Promise<void> {
    isScheduled = false
    for (const topic of await topics)
      try {
        const records = await topic.readNext(shownInWindow - topic.shown)
        printed += records.filter(({ headers }) => readRecordHeaders(headers).reverts === undefined).length
        if (records.length > 0) print(topic.format(records))
      } catch (error) {
        warn(error)
      }
  }

  function closeWindow(): void {
    timer = undefined
    work = work.then(endWindow)
  }

  /** Shows the number of records beyond the limit, and skips them. */
  async function endWindow(): Promise<void> {
    const total = committed
    await showNext()
    const more = total - printed
    for (const topic of await topics) await topic.beginWindow(shownInWindow).catch(warn)
    if (more <= 0) return
    printed += more
    print(
      json ? jsonLine({ more }) : `…and ${more.toLocaleString('en-US')} more ${more === 1 ? 'record' : 'records'}\n`,
    )
  }

  function warn(error: unknown): void {
    log.warn({ err: error }, 'published records not shown')
  }
}
