import { execa } from 'execa'

export interface ConsoleConsumerOptions {
  /** `KafkaBroker.javaCommand` */
  readonly javaCommand: readonly string[]
  readonly bootstrap: string
  readonly topic: string
  /** Default: every partition. */
  readonly partition?: number
  /** It ends when nothing came for this long. Default 5,000 ms. */
  readonly idleMs?: number
  /** It ends after so many records. */
  readonly maxMessages?: number
}

export interface ConsumedRecord {
  readonly partition: number
  readonly offset: number
  /** `null` for an absent key; bytes read as UTF-8. */
  readonly key: string | null
  readonly value: string | null
}

/** What Kafka's own console consumer sees of a topic from its beginning with `isolation.level=read_committed`. */
export async function consoleConsumer(options: ConsoleConsumerOptions): Promise<ConsumedRecord[]> {
  const [command, ...prefix] = options.javaCommand
  const from =
    options.partition === undefined
      ? ['--from-beginning']
      : ['--partition', `${options.partition}`, '--offset', 'earliest']
  const until = options.maxMessages === undefined ? [] : ['--max-messages', `${options.maxMessages}`]
  const show = ['partition', 'offset', 'key'].flatMap((what) => ['--formatter-property', `print.${what}=true`])
  const { stdout } = await execa(
    command!,
    [
      ...[...prefix, 'org.apache.kafka.tools.consumer.ConsoleConsumer'],
      ...['--bootstrap-server', options.bootstrap, '--topic', options.topic, ...from, ...until, ...show],
      ...['--isolation-level', 'read_committed', '--timeout-ms', `${options.idleMs ?? 5_000}`],
    ],
    { reject: false },
  )
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('Partition:'))
    .map(parseLine)
}

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
