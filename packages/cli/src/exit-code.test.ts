import { FencedError, HeadraceError, QueueUnavailableError, RetryableError, UserError } from '@headrace/queue'
import { CommanderError, InvalidArgumentError } from 'commander'
import { expect, test } from 'vitest'
import { exitCodeOf } from './exit-code.ts'
import { OutputClosedError } from './output/output.ts'

class SourceFailed extends HeadraceError {}

test.each([
  ['a mistake of the user is 1', new UserError('invalid_settings', ''), 1],
  ['wrong usage is 2', new CommanderError(1, 'commander.unknownOption', ''), 2],
  ['a wrong argument is 2', new InvalidArgumentError(''), 2],
  ['an invalid queue URL is 2', new UserError('invalid_queue_url', ''), 2],
  ['requested help is 0', new CommanderError(0, 'commander.help', ''), 0],
  ['a reader that has closed the pipe is 0', new OutputClosedError(''), 0],
  ['an unreachable queue is 69', new QueueUnavailableError(''), 69],
  ['an unexpected error is 70', new TypeError(''), 70],
  ['a thrown value that is not an error object is 70', 'text', 70],
  [
    'a source that failed until the time budget was spent is 70',
    new SourceFailed('source_failed', '', { cause: new TypeError('') }),
    70,
  ],
  [
    'a source that was unreachable until the time budget was spent is 69',
    new SourceFailed('source_failed', '', { cause: new RetryableError('rpc_unavailable', '') }),
    69,
  ],
  ['a child that reports an unreachable source is 69', new RetryableError('source_unavailable', ''), 69],
  ['a child that crashes in a dry run is 70', new SourceFailed('child_ended', ''), 70],
  ['a temporary refusal is 75', new RetryableError('rpc_overloaded', ''), 75],
  ['a fenced run is 76', new FencedError('a/main'), 76],
  ['a reorganisation below the final unit is 77', new UserError('reorganisation_below_final', ''), 77],
])('%s', (_, error, code) => {
  expect(exitCodeOf(error)).toBe(code)
})
