import { execa } from 'execa'

export interface ConsoleConsumerOptions {
  /** `KafkaBroker.javaCommand` */
  readonly javaCommand: readonly string[]
  readonly bootstrap: string
  readonly topic: string
  /** The consumer waits up to a minute for this number of records, then ends after 5 s without one. Default 1. */
  readonly expected?: number
}

export interface ConsumedRecord {
  readonly partition: number
  readonly offset: number
  /** Decoded as UTF-8; `null` for an absent key. */
  readonly key: string | null
  readonly value: string | null
}

/** Reads a topic from its beginning with Kafka's console consumer and `isolation.level=read_committed`. */
export async function consoleConsumer(options: ConsoleConsumerOptions): Promise<ConsumedRecord[]> {
  const [command, ...prefix] = options.javaCommand
  const show = ['partition', 'offset', 'key'].flatMap((what) => ['--formatter-property', `print.${what}=true`])
  const consumer = execa(
    command!,
    [
      ...[...prefix, 'org.apache.kafka.tools.consumer.ConsoleConsumer'],
      ...['--bootstrap-server', options.bootstrap, '--topic', options.topic, '--from-beginning', ...show],
      ...['--isolation-level', 'read_committed', '--timeout-ms', '60000'],
    ],
    { reject: false, buffer: false },
  )
  const records: ConsumedRecord[] = []
  let idle: NodeJS.Timeout | undefined
  for await (const line of consumer) {
    if (!line.startsWith('Partition:')) continue
    records.push(parseLine(line))
    if (records.length < (options.expected ?? 1)) continue
    clearTimeout(idle)
    idle = setTimeout(() => consumer.kill('SIGKILL'), idleMs)
  }
  clearTimeout(idle)
  return records
}

const idleMs = 5_000

function parseLine(line: string): ConsumedRecord {
  const [partition, offset, key, value] = line.split('\t')
  const text = (part: string | undefined): string | null => (part === undefined || part === 'null' ? null : part)
  return {
    partition: Number(partition!.slice('Partition:'.length)),
    offset: Number(offset!.slice('Offset:'.length)),
    key: text(key),
    value: text(value),
  }
}
