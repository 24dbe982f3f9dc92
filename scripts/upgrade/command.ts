import { once } from 'node:events'
import { typeLine, type UserCommand } from '../../packages/testbed/registry/user-command.ts'
import { shellVariables, type Version } from './version.ts'

/** A version refuses to work with what the other one has written: with a code, and a message for the user. */
export class RefusalError extends Error {
  readonly code: string

  constructor(version: Version, command: string, code: string, message: string) {
    super(`${version.name} refuses "connector ${command}" with ${code}: ${message}`)
    this.code = code
  }
}

/** Starts `connector` of a version in its project, if it has one. */
export function startCommand(version: Version, args: readonly string[]): UserCommand {
  const quoted = args.map((argument) => `'${argument}'`).join(' ')
  return typeLine(`exec node_modules/.bin/connector ${quoted}`, version.folder, shellVariables)
}

/**
 * Runs a command to its end and returns what it printed.
 *
 * @throws {RefusalError}
 */
export async function runCommand(version: Version, ...args: string[]): Promise<string> {
  const command = startCommand(version, args)
  const code = await command.ended
  if (code !== 0) throw failure(version, args, code, command.output())
  return command.stdout()
}

/** Of a command that should not have ended. */
export function failure(version: Version, args: readonly string[], code: number | null, output: string): Error {
  const refusal = code === 1 ? refusalIn(output) : undefined
  if (refusal && refusals.has(refusal[0])) return new RefusalError(version, args[0]!, ...refusal)
  return new Error(`"connector ${args.join(' ')}" of ${version.name} ended with ${code}. It printed:\n${output}`)
}

/** The codes with which a version refuses what is stored. */
const refusals = new Set([
  'unsupported_storage',
  'invalid_checkpoint',
  'invalid_registration',
  'invalid_reorganisation',
  'registration_refused',
  'topic_mismatch',
])

/** The last line of a log, or of what a command prints for people. */
function refusalIn(output: string): [code: string, message: string] | undefined {
  const printed = /^error: (.*) \((\w+)\)$/ms.exec(output)
  if (printed) return [printed[2]!, printed[1]!]
  const fatal = output.split('\n').findLast((line) => /^\{"level":60,.*"code":/.test(line))
  if (!fatal) return undefined
  const { code, msg } = JSON.parse(fatal) as { code: string; msg: string }
  return [code, msg]
}

export interface RunningGateway {
  readonly version: Version
  readonly url: string
  readonly command: UserCommand
}

/** @throws {RefusalError} */
export async function startGateway(version: Version, queue: string): Promise<RunningGateway> {
  const args = ['serve', '--queue', queue, '--port', '0']
  const command = startCommand(version, args)
  for (;;) {
    const [line, end] = command.stdout().split('\n')
    if (end !== undefined) return { version, url: line!, command }
    const code = await Promise.race([command.ended, printed()])
    if (code !== 'waiting') throw failure(version, args, code, command.output())
  }
}

async function printed(): Promise<'waiting'> {
  await once(AbortSignal.timeout(50), 'abort')
  return 'waiting'
}
