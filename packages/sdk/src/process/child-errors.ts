import { HeadraceError, RetryableError, UserError } from '@headrace/queue'
import type { Child, ChildOptions } from './child-process.ts'
import { quoteBytes, quoteText } from './quote-output.ts'

/** The child ended, or closed its stdout, without having said that it is done. It is started again. */
export class ChildEndedError extends HeadraceError {
  /** @param remainder - What it left that is no whole frame. */
  constructor({ howEnded, lastWords }: Pick<Child, 'howEnded' | 'lastWords'>, remainder: string | undefined) {
    const sentences = [
      `The child ${howEnded ?? 'closed its stdout'}, and it had written neither Done nor Failed.`,
      ...(remainder ? [remainder] : []),
      ...(lastWords ? [`Its stderr says: ${lastWords}`] : []),
    ]
    super('child_ended', sentences.join(' '))
  }
}

/** The child has not become ready in time. It is started again. */
export class ChildNotReadyError extends HeadraceError {
  constructor(timeMs: number) {
    super(
      'child_not_ready',
      `The child did not write Ready within ${timeMs / 1000} s of its start. ` +
        'It is to read Start from stdin, write Ready as its first frame, and flush stdout after each frame.',
    )
  }
}

/** The child has begun a frame and does not end it. It is started again. */
export class ChildStalledError extends HeadraceError {
  constructor(frame: { readonly bytes: number; readonly wantedBytes: number; readonly silenceMs: number }) {
    const { bytes, wantedBytes, silenceMs } = frame
    super(
      'child_stalled',
      `The child wrote ${bytes} of ${wantedBytes} bytes of a frame, and then nothing for ${silenceMs / 1000} s. ` +
        'It is to write a frame when all of it is known, and to flush stdout after each. Text on stdout can look like ' +
        'the length of a frame, too.',
    )
  }
}

/** The child says that its source cannot be read for now. It is started again. */
export class SourceUnavailableError extends RetryableError {
  constructor(text: string) {
    super('source_unavailable', `The child cannot read its source: ${text}`)
  }
}

/** The child says that somebody must change something. */
export function childFailed(text: string): UserError {
  return new UserError('child_failed', `The child cannot go on: ${text}`)
}

export function childNotStarted(command: readonly string[], dir: string, cause: unknown): UserError {
  const { code, message } = cause as NodeJS.ErrnoException
  const reason = code === 'ENOENT' ? 'there is no such program' : message
  return new UserError(
    'child_not_started',
    `"${command[0]}", which "run" in the manifest names, cannot be started in ${dir}: ${reason}. ` +
      'Install it, or correct "run".',
    { cause },
  )
}

/** The child has ended before it was ready, more than once: starting it again would not help. */
export function childEndsAtStart(
  { command, dir }: Pick<ChildOptions, 'command' | 'dir'>,
  { howEnded, lastWords }: Pick<Child, 'howEnded' | 'lastWords'>,
): UserError {
  const words = lastWords ? ` Its stderr says: ${lastWords}` : ''
  return new UserError(
    'child_not_started',
    `"${command.join(' ')}", which "run" in the manifest names, was started twice in ${dir}, and each time it ` +
      `${howEnded ?? 'closed its stdout'} before it wrote Ready. Correct the program, or "run".${words}`,
  )
}

/** The child does not keep to the protocol. `problem` says how, without a full stop. */
export function protocolViolation(problem: string): UserError {
  return new UserError('child_protocol', `The child does not keep to the process protocol: ${problem}.`)
}

/** Bytes that cannot be the length of a frame, and what follows them. */
export function noFrame(bytes: Buffer, limitBytes: number): UserError {
  const text = quoteText(bytes)
  if (text) return protocolViolation(`the child wrote text to stdout: ${text}; write logs to stderr`)
  return protocolViolation(
    `it wrote a frame of ${bytes.readUInt32BE()} bytes (${quoteBytes(bytes)}), and ${limitBytes} are allowed; ` +
      'write 4 bytes of length, big-endian, before each message and nothing else, and keep units smaller than that',
  )
}

/** The content of a frame is no message of a child. */
export function unreadableFrame(frame: Uint8Array, reason: string): UserError {
  const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.length)
  const shown = quoteText(bytes) ?? quoteBytes(bytes)
  return protocolViolation(`a frame of ${frame.length} bytes (${shown}) is no FromChild of process.proto: ${reason}`)
}
