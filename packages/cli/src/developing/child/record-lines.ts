import { readRecordHeaders, type TopicRegistration } from '@headrace/catalog'
import type { Queue } from '@headrace/queue'
import type { RunObserver } from '@headrace/sdk'
import type { Logger } from 'pino'
import { jsonLine } from '../../output/json-line.ts'
import { openShownTopic, type ShownTopic } from './shown-topic.ts'

/** Lines about the records that a run publishes, as they can be read in the queue. */
export interface RecordLines {
  readonly observer: RunObserver
  /** Resolves when the lines of all that was committed are printed. */
  end(): Promise<void>
}

export interface RecordLinesOptions {
  readonly queue: Queue
  /** Of the topics that the run writes. */
  readonly registrations: readonly TopicRegistration[]
  readonly json: boolean
  /** Characters to a line, at most. */
  readonly width: number
  readonly log: Logger
  print(lines: string): void
}

/** Records of a topic that are shown in so many ms; of more only the number is told. */
const shownInWindow = 10
const windowMs = 1000

/**
 * Begins at the ends of the topics at this moment, so before the run does. Topics that do not exist yet are shown whole.
 * Nothing that goes wrong here ends the run.
 */
export async function createRecordLines(options: RecordLinesOptions): Promise<RecordLines> {
  const { queue, registrations, json, log, print } = options
  const names = registrations.map(({ topic }) => topic)
  const before = await queue.describe(names)
  let topics: Promise<ShownTopic[]> = Promise.resolve([])
  let committed = 0
  let told = 0
  let work = Promise.resolve()
  let isAsked = false
  let timer: NodeJS.Timeout | undefined

  return {
    observer: {
      onStart() {
        topics = openTopics()
      },
      onCommit({ records }) {
        committed = records
        if (!isAsked) work = work.then(showNext)
        isAsked = true
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
      tell(error)
      return []
    }
  }

  /** Shows what has come, as far as the window has room for it. */
  async function showNext(): Promise<void> {
    isAsked = false
    for (const topic of await topics)
      try {
        const records = await topic.readNext(shownInWindow - topic.shown)
        told += records.filter(({ headers }) => readRecordHeaders(headers).reverts === undefined).length
        if (records.length > 0) print(topic.format(records))
      } catch (error) {
        tell(error)
      }
  }

  function closeWindow(): void {
    timer = undefined
    work = work.then(endWindow)
  }

  /** Tells how many records the window had no room for, and passes over them. */
  async function endWindow(): Promise<void> {
    const total = committed
    await showNext()
    const more = total - told
    for (const topic of await topics) await topic.beginWindow(shownInWindow).catch(tell)
    if (more <= 0) return
    told += more
    print(
      json ? jsonLine({ more }) : `…and ${more.toLocaleString('en-US')} more ${more === 1 ? 'record' : 'records'}\n`,
    )
  }

  function tell(error: unknown): void {
    log.warn({ err: error }, 'published records not shown')
  }
}
