import { type Queue, type TopicDescription, UserError } from '@headrace/queue'

/** Ms after which a topic that could not be described is tried again. */
const hiddenMs = 600_000

/**
 * Describes topics without those that the queue does not permit this gateway to describe: Kafka then refuses the whole
 * request.
 *
 * @param clock - Monotonic, in ms.
 */
export function createDescribePermitted(
  queue: Queue,
  clock: () => number,
): (names: readonly string[]) => Promise<readonly TopicDescription[]> {
  const hiddenUntil = new Map<string, number>()
  return (names) => describe(names.filter((name) => !((hiddenUntil.get(name) ?? Number.NEGATIVE_INFINITY) > clock())))

  async function describe(names: readonly string[]): Promise<readonly TopicDescription[]> {
    try {
      return names.length === 0 ? [] : await queue.describe(names)
    } catch (error) {
      if (!(error instanceof UserError && error.code === 'permission_denied')) throw error
      if (names.length > 1) {
        const middle = names.length >> 1
        return [...(await describe(names.slice(0, middle))), ...(await describe(names.slice(middle)))]
      }
      hiddenUntil.set(names[0]!, clock() + hiddenMs)
      return []
    }
  }
}
