import { encodeCursor } from '@headrace/catalog'
import type { Argument, Command, Option } from 'commander'
import { describe, expect, test } from 'vitest'
import { runInProcess } from '../test/command-in-process.ts'
import type { CommandContext } from './command-context.ts'
import { createProgram } from './program.ts'

/** A command with the arguments that precede its options. */
interface Call {
  readonly name: string
  readonly command: Command
  readonly words: readonly string[]
}

const group = (command: Command): boolean => command.commands.length > 0

function callsOf(parent: Command, path: readonly string[]): Call[] {
  return parent.commands.flatMap((command) => {
    const words = [...path, command.name()]
    if (group(command)) return callsOf(command, words)
    const needed = command.registeredArguments.filter((argument) => argument.required).map(exampleOf)
    return [{ name: words.join(' '), command, words: [...words, ...needed] }]
  })
}

function exampleOf({ argChoices, variadic }: Argument): string {
  return argChoices?.[0] ?? (variadic ? 'a' : 'a.b.1_0_0.c_D')
}

/** No option with a parser or choices accepts this value. */
const nonsense = '?'
const program = createProgram({ environment: { variables: {} } } as unknown as CommandContext)
const calls = callsOf(program, [])
const having = (wanted: (option: Option) => unknown): [string, string, Call][] =>
  calls.flatMap((call) =>
    call.command.options.filter(wanted).map(({ long }): [string, string, Call] => [call.name, long!, call]),
  )

/** The signal stops a command that accepts the wrong arguments. */
async function expectUsageError(...args: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await runInProcess(args, { signal: AbortSignal.abort() })
  expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(/^error: |^Usage: /m)
}

describe('wrong usage is exit code 2:', () => {
  test.each(calls.map((call) => [call.name, call] as const))('an unknown option of %s', (_, { words }) =>
    expectUsageError(...words, '--no-such-option'),
  )

  test.each(
    calls
      .filter(({ command }) => !command.registeredArguments.some(({ variadic }) => variadic))
      .map((call) => [call.name, call] as const),
  )('an excess argument of %s', (_, { command, words }) => {
    const optional = command.registeredArguments.filter((argument) => !argument.required).map(() => 'folder')
    return expectUsageError(...words, ...optional, 'one-too-many')
  })

  test.each(
    calls
      .filter(({ command }) => command.registeredArguments.some(({ required }) => required))
      .map((call) => [call.name, call] as const),
  )('a missing argument of %s', (name) => expectUsageError(...name.split(' ')))

  test.each(having(({ mandatory }) => mandatory))('%s without %s', (_, _option, { words }) =>
    expectUsageError(...words),
  )

  test.each(having(({ required }) => required))('%s with %s and no value', (_, option, { words }) =>
    expectUsageError(...words, option),
  )

  // Any text is a contact.
  test.each(having(({ parseArg, argChoices, long }) => long !== '--contact' && (parseArg || argChoices)))(
    '%s with %s and an invalid value',
    (_, option, { words }) => expectUsageError(...words, option, nonsense),
  )

  test.each(having(({ long }) => long === '--queue'))(
    '%s with %s embedded and a Kafka configuration',
    (_, _option, { words, command }) => {
      const needed = command.options.filter(({ mandatory }) => mandatory).flatMap(({ long }) => [long!, 'name'])
      return expectUsageError(
        ...words,
        ...needed,
        '--queue',
        'embedded:/nowhere',
        '--kafka-config',
        'client.properties',
      )
    },
  )

  test.each([[[]], [['publish']], [['topics']], [['topics', 'lsit']], [['help', 'publish']]])(
    'no command, or an unknown one: %j',
    (args) => expectUsageError(...args),
  )

  const cursor = encodeCursor({ topics: [{ id: 'x', topic: 'a.b.1_0_0.c_D', partitions: [{ offset: 1n, seq: 1 }] }] })
  test.each([
    [['read', 'a.b.1_0_0.c_D', '--cursor', cursor, '--to', 'latest']],
    [['read', 'a.b.1_0_0.c_D', '--cursor', cursor, '--from', 'earliest', '--order', 'asc']],
    [['checkpoint', 'reset', '--yes']],
    [['checkpoint', 'reset', '--yes', '--start', '--to', '1']],
    [['checkpoint', 'reset', '--yes', '--keep-records', '--to', '1']],
    [['checkpoint', 'reset', '--start']],
    [['verify', '--full', '--sample', '3']],
    [['verify', '--offline', '--full']],
    [['serve', '--with-key', '--environment', 'production']],
    [['mcp', '--url', 'http://127.0.0.1:1', '--queue', 'embedded:.headrace']],
    [['mcp', '--url', 'http://127.0.0.1:1', 'folder']],
    [['mcp', '--set', 'poll=1']],
    [['manifest', 'validate', '--kafka-config', 'client.properties']],
    [['keys', 'usage', '--from', '-1h', '--to', '-2h']],
  ])('options that exclude or need each other: %j', (args) => expectUsageError(...args))

  test.each([
    [['keys', 'create', '--name', '']],
    [['keys', 'create', '--name', 'a', '--topics', 'no topic']],
    [['keys', 'create', '--name', 'a', '--origin', 'http://example.com']],
    [['mcp', '--url', 'http://127.0.0.1:1?api_key=hr_test_1']],
    [['run', '--instance', 'a b']],
    [['run', '']],
    [['manifest', 'validate', '']],
  ])('a value that is not allowed: %j', (args) => expectUsageError(...args))
})
