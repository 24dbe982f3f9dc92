import { PositionUnavailableError, tellLoss } from '@headrace/catalog'
import type { TopicDirectory } from '../topics/topic-directory.ts'
import type { DataPages, SentPage } from './data-pages.ts'
import type { DataQuery } from './data-query.ts'
import { type DataRangeOptions, resolveRange, startOf } from './data-range.ts'

export interface ReadDataPageOptions extends DataRangeOptions {
  readonly topics: TopicDirectory
  readonly pages: DataPages
}

/**
 * Reads the page that a request asks for. Where retention overtakes it, the range is resolved again: what was removed may
 * have been no record.
 *
 * @throws {PositionUnavailableError} records of the range are lost.
 * @throws As `TopicDirectory.open` and `resolveRange` do.
 */
export async function readDataPage(options: ReadDataPageOptions, topic: string, query: DataQuery): Promise<SentPage> {
  for (let tries = 1; ; tries++) {
    const open = await options.topics.open(topic)
    const range = await resolveRange(options, open, query)
    try {
      return await tellLoss(open.description, options.pages.read(range, query.limit), startOf(range))
    } catch (error) {
      const isOvertaken = error instanceof PositionUnavailableError && error.reason === 'retention'
      if (!isOvertaken || tries === mostTries) throw error
    }
  }
}

const mostTries = 3
