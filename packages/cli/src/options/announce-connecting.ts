import { defaultKafkaSettings } from '@headrace/queue'

/** What is over sooner is not worth a line. */
const quietMs = 1000

/** Says, while a Kafka is waited for, what is tried and for how long. */
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
