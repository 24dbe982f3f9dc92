import { defaultKafkaSettings } from '@headrace/queue'

/** A connection that takes less time is not announced. */
const quietMs = 1000

/** Announces a connection to Kafka that takes long, with the time after which it is given up. */
export async function announceConnecting<T>(
  queueUrl: string,
  inform: (text: string) => void,
  connecting: Promise<T>,
): Promise<T> {
  if (!queueUrl.startsWith('kafka:')) return connecting
  const seconds = defaultKafkaSettings.budgetMs / 1000
  const timer = setTimeout(() => inform(`Connecting to ${queueUrl} (gives up after ${seconds} s)…`), quietMs)
  try {
    return await connecting
  } finally {
    clearTimeout(timer)
  }
}
