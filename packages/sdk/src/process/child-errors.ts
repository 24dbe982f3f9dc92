import { HeadraceError, RetryableError, UserError } from '@headrace/queue'

export interface ChildEnd {
  readonly howEnded: string | undefined
  /** The last of its newest lines on stderr that names an error, else the last line. */
  readonly errorLine: string | undefined
}

export class ChildEndedError extends HeadraceError {
  constructor({ howEnded, errorLine }: ChildEnd, remainder: string | undefined) {
    const sentences = [
      `The child ${howEnded ?? 'closed its stdout'} before it wrote Done or Failed.`,
      ...(remainder ? [remainder] : []),
      ...(errorLine ? [`Its stderr says: ${errorLine}`] : []),
    ]
    super('child_ended', sentences.join(' '))
  }
}

export class ChildNotReadyError extends HeadraceError {
  constructor(timeMs: number) {
    super(
      'child_not_ready',
      `The child did not write Ready within ${timeMs / 1000} s of its start. ` +
        'It must read Start from stdin, write Ready as its first frame, and flush stdout after each frame.',
    )
  }
}

export class ChildStalledError extends HeadraceError {
  constructor(frame: { readonly bytes: number; readonly wantedBytes: number; readonly silenceMs: number }) {
    const { bytes, wantedBytes, silenceMs } = frame
    super(
      'child_stalled',
      `The child wrote ${bytes} of ${wantedBytes} bytes of a frame, and then nothing for ${silenceMs / 1000} s. ` +
        'It must write whole frames and flush stdout after each. Text on stdout can also look like a frame length.',
    )
  }
}

export function sourceUnavailable(text: string): RetryableError {
  return new RetryableError('source_unavailable', `The child cannot read its source: ${text}`)
}

export function childFailed(text: string): UserError {
  return new UserError('child_failed', `The child cannot continue: ${text}`)
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

export function childEndsAtStart(
  { command, dir }: { readonly command: readonly string[]; readonly dir: string },
  { howEnded, errorLine }: ChildEnd,
): UserError {
  const stderr = errorLine ? ` Its stderr says: ${errorLine}` : ''
  return new UserError(
    'child_not_started',
    `"${command.join(' ')}", which "run" in the manifest names, was started twice in ${dir}, and each time it ` +
      `${howEnded ?? 'closed its stdout'} before it wrote Ready. Correct the program, or "run".${stderr}`,
  )
}

export function protocolViolation(problem: string): UserError {
  return new UserError('child_protocol', `The child violates the process protocol: ${problem}.`)
}

export function noFrame(bytes: Buffer, limitBytes: number): UserError {
  const text = quoteText(bytes)
  if (text) return protocolViolation(`the child wrote text to stdout: ${text}; write logs to stderr`)
  return protocolViolation(
    `it wrote a frame of ${bytes.readUInt32BE()} bytes (${quoteBytes(bytes)}), and ${limitBytes} are allowed; ` +
      'write only frames, each with its length in 4 bytes, big-endian, and keep units smaller than that',
  )
}

export function unreadableFrame(frame: Uint8Array, reason: string): UserError {
  const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.length)
  const shown = quoteText(bytes) ?? quoteBytes(bytes)
  return protocolViolation(`a frame of ${frame.length} bytes (${shown}) is no FromChild of process.proto: ${reason}`)
}

const quotedBytes = 200

/** The first line, unless it is empty or no text. */
export function quoteText(bytes: Buffer): string | undefined {
  const beginning = bytes.toString('utf8', 0, quotedBytes)
  const [line = ''] = /[^\r\n]+/.exec(beginning) ?? []
  // The last character may be cut off.
  if (line.trim() === '' || /(?!\t)\p{Cc}|\ufffd(?!$)/u.test(line)) return undefined
  return JSON.stringify(bytes.length > quotedBytes && beginning.endsWith(line) ? `${line}…` : line)
}

export function quoteBytes(bytes: Buffer): string {
  const shown = bytes.toString('hex', 0, 16).replaceAll(/..(?=.)/g, '$& ')
  return bytes.length > 16 ? `${shown} …` : shown
}
