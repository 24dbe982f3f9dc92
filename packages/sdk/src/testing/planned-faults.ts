import { CommitUnknownError, FencedError, QueueUnavailableError, TransactionAbortedError } from '@headrace/queue'
import type { Connector } from '../connector/connector.ts'
import type { Fault, FaultStep } from './faulty-queue.ts'

export interface PlannedFault {
  readonly kind: string
  readonly name: string
  begin(run: FaultyRun): InjectedFault
}

export interface FaultyRun {
  readonly writerId: string
  rival(): Promise<unknown>
}

export interface InjectedFault {
  readonly faults: readonly Fault[]
  /** Whether this error must end the run. Absent: no run may end. */
  readonly endsWith?: (error: unknown) => boolean
  readonly wrap?: (connector: Connector) => Connector
  readonly missed?: () => boolean
}

/** Each kind of fault at every `stride`-th time. */
export function* plannedFaults(
  reached: (step: FaultStep) => number,
  units: number,
  stride: number,
): Generator<PlannedFault> {
  for (const kind of kinds) {
    const times = kind.step === 'read' ? units : reached(kind.step)
    for (let time = 1; time <= times; time += stride) {
      yield { kind: kind.name, name: `${kind.name}, number ${time}`, begin: (run) => kind.begin(time, run) }
    }
  }
}

interface FaultKind {
  readonly name: string
  readonly step: FaultStep | 'read'
  begin(time: number, run: FaultyRun): InjectedFault
}

const crashes: readonly [string, FaultStep][] = [
  ['crash at the opening of the writer', 'openWriter'],
  ['crash at the reading of the checkpoint', 'latest'],
  ['crash at begin', 'begin'],
  ['crash at a record', 'send'],
  ['crash before a commit', 'commit'],
  ['crash after a commit', 'committed'],
]

const kinds: readonly FaultKind[] = [
  ...crashes.map(([name, step]): FaultKind => {
    return { name, step, begin: (time) => ending([{ step, time, error: new Error('crash') }]) }
  }),
  failing('commit refused', 'commit', () => new TransactionAbortedError('refused')),
  {
    name: 'commit refused and not aborted',
    step: 'commit',
    begin: (time) =>
      ending([
        { step: 'commit', time, error: new TransactionAbortedError('refused') },
        { step: 'abort', time: 1, error: new QueueUnavailableError('not aborted') },
      ]),
  },
  failing('commit unanswered that did not happen', 'commit', (writerId) => new CommitUnknownError(writerId)),
  failing('commit unanswered that did happen', 'committed', (writerId) => new CommitUnknownError(writerId)),
  {
    name: 'another run takes over',
    step: 'commit',
    begin: (time, { rival }) => ({
      faults: [{ step: 'commit', time, beforeCommit: rival }],
      endsWith: (error) => error instanceof FencedError,
    }),
  },
  { name: 'read fails', step: 'read', begin: failingRead },
]

function failing(name: string, step: FaultStep, errorOf: (writerId: string) => Error): FaultKind {
  return { name, step, begin: (time, { writerId }) => ({ faults: [{ step, time, error: errorOf(writerId) }] }) }
}

function ending(faults: readonly (Fault & { readonly error: Error })[]): InjectedFault {
  return { faults, endsWith: (error) => error === faults.at(-1)!.error }
}

function failingRead(time: number): InjectedFault {
  let reached = 0
  return {
    faults: [],
    missed: () => reached < time,
    wrap: (connector) => ({
      schema: connector.schema,
      async *read(source) {
        for await (const unit of connector.read(source)) {
          reached++
          if (reached === time) throw new Error('the source fails')
          yield unit
        }
      },
    }),
  }
}
