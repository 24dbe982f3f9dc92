/** Checked against the documentation and sources of each tool in November 2026. */
export const tools = ['Headrace', 'Kafka Connect', 'Ponder', 'Substreams', 'Centrifugo'] as const

type Row = {
  what: string
  /** One for each of the tools, in their order. */
  cells: readonly [string, string, string, string, string]
}

export const rows: readonly Row[] = [
  {
    what: 'Made for',
    cells: [
      'ordered logs of any source, read by applications',
      'moving data into Kafka and out of it',
      'a database of EVM events for an application',
      'transforming the whole history of a chain in parallel',
      'live messages to browsers and apps',
    ],
  },
  {
    what: 'Exactly once',
    cells: [
      'always: a unit and its checkpoint are one transaction',
      'for connectors that support it, where it is enabled on every worker of a cluster',
      'in its tables: after a crash they are rolled back to final blocks, and it continues there',
      'up to the sink, which stores the cursor with its data',
      'no: a publication may be repeated, and an idempotency key drops it for a limited time',
    ],
  },
  {
    what: 'Reorganisations',
    cells: [
      'each record that is no longer valid is reverted, for every reader',
      'not known to it',
      'tables are rolled back',
      'a signal with the last valid block',
      'not known to it',
    ],
  },
  {
    what: 'A reader can prove that it missed nothing',
    cells: [
      'yes: numbers without gaps, also with a filter',
      'no: offsets of Kafka have gaps',
      'no: it reads tables',
      'no: blocks without output may be left out',
      'within the history that is kept: offset, epoch and a recovered flag',
    ],
  },
  {
    what: 'History and live by one cursor',
    cells: [
      'yes, over REST, WebSocket and SSE',
      'yes, with a Kafka client: the offset',
      'no: live queries send results again',
      'yes, over gRPC',
      'within the history that is kept',
    ],
  },
  {
    what: 'Filters for readers',
    cells: [
      'by the fields of a record, in the gateway',
      'none: records are filtered when they are published',
      'SQL and GraphQL',
      'by block, with indexes of a module',
      'by tags, for its JavaScript client',
    ],
  },
  {
    what: 'Language of a source',
    cells: [
      'TypeScript, or any as a child process',
      'Java and others of the JVM',
      'TypeScript',
      'Rust, compiled to WebAssembly',
      'any, over HTTP or gRPC',
    ],
  },
  {
    what: 'Runs without Kafka',
    cells: [
      'yes: one SQLite file',
      'no',
      'yes: PostgreSQL or PGlite',
      'yes: needs an endpoint of a Firehose provider',
      'yes: in memory or with Redis',
    ],
  },
  {
    what: 'Ready-made',
    cells: [
      'a connector for EVM chains, and templates',
      'hundreds of connectors, sinks too',
      'EVM chains, with GraphQL and SQL',
      'packages for EVM, Solana and other chains, and sinks',
      'client SDKs for seven platforms; reads Kafka, PostgreSQL, NATS, Redis and cloud queues',
    ],
  },
  {
    what: 'Maturity',
    cells: [
      'new, in beta',
      'since 2015, in wide use',
      'since 2022, versions 0.x',
      'since 2022, at several providers',
      'since 2015, in wide use',
    ],
  },
]
