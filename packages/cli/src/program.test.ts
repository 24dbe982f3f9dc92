import { type Command, CommanderError } from 'commander'
import { describe, expect, test } from 'vitest'
import { readReferencePage } from '../../testbed/reference/reference-page.ts'
import type { CommandContext } from './command-context.ts'
import { exitCodes } from './exit-code.ts'
import { createProgram } from './program.ts'

const page = readReferencePage('cli.md')
const context = { environment: { variables: {} } } as unknown as CommandContext
const program = (): Command => createProgram(context)

/** Every command with an action, with its full name. */
function commandsOf(parent: Command, path: string): { readonly command: Command; readonly name: string }[] {
  return parent.commands.flatMap((command) => {
    const name = `${path} ${command.name()}`
    return command.commands.length > 0 ? commandsOf(command, name) : [{ command, name }]
  })
}
const commands = commandsOf(program(), 'connector')

/** As its heading: `connector run [dir]`. */
function headingOf({ command, name }: (typeof commands)[number]): string {
  const options = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`
    return argument.required ? name.toUpperCase() : `[${name}]`
  })
  return [name, ...options].join(' ')
}

function rowsOf(command: Command): string[][] {
  return command.options.map((option) => {
    const { flags, defaultValue, defaultValueDescription, argChoices, mandatory } = option
    const choices = argChoices ? ` (${argChoices.join(', ')})` : ''
    const shown =
      defaultValueDescription ?? (Array.isArray(defaultValue) ? defaultValue.join(' ') : `${defaultValue ?? ''}`)
    return [flags, mandatory ? 'required' : shown, `${option.description}${choices}`]
  })
}

/** The error output for wrong usage. */
async function usageError(...args: string[]): Promise<string> {
  const notes: string[] = []
  const output = { writeErr: (text: string) => void notes.push(text), writeOut: () => {} }
  const silent = (command: Command): void => {
    command.configureOutput(output)
    command.exitOverride()
    command.commands.forEach(silent)
  }
  const root = program()
  silent(root)
  await expect(root.parseAsync(args, { from: 'user' })).rejects.toThrow(CommanderError)
  return notes.join('')
}

describe('docs/reference/cli.md', () => {
  test('lists every command with its description, and no other', () => {
    const listed = page.rows('Commands', 'command').map(([name, does]) => [name, does])
    expect(listed).toEqual(commands.map((one) => [headingOf(one), one.command.description()]))
  })

  test.each(commands.map((one) => [one.name, one] as const))('lists every option of %s', (_, one) => {
    expect(page.rows(headingOf(one), 'option')).toEqual(rowsOf(one.command))
  })

  test.each(commands.map((one) => [one.name, one] as const))('shows the example of %s', (_, one) => {
    const [, example] = /Example:\n {2}\$ (.*)/.exec(helpOf(one.command)) ?? []
    expect(page.code(headingOf(one), 'sh')).toEqual([`${example}\n`])
  })

  test('lists every exit code', () => {
    const listed = page.rows('Exit codes', 'code').map(([code]) => Number(code))
    expect(listed).toEqual(Object.values(exitCodes))
  })
})

test('read has the default order and view that REST has', () => {
  const rows = readReferencePage('rest.md').rows('`GET /api/v1/data/<topic>`', 'parameter')
  const ofRest = new Map(rows.map(([name, , fallback]) => [name, fallback]))
  const { order, view } = commands.find(({ name }) => name === 'connector read')!.command.opts()
  expect({ order, view }).toEqual({ order: ofRest.get('order'), view: ofRest.get('view') })
})

describe('every command', () => {
  test.each(commands.map((one) => [one.name, one.command] as const))('%s has the option --json', (_, command) => {
    expect(command.options.map(({ long }) => long)).toContain('--json')
  })

  test.each(commands.map((one) => [one.name, one.command] as const))(
    '%s accepts the arguments of its example',
    (name, command) => {
      const [, example] = /Example:\n {2}\$ (.*)/.exec(helpOf(command)) ?? []
      expect(example).toBeDefined()
      const words = example!
        .replace(/^source <\((.*)\)$/, '$1')
        .replace(/ > .*$/, '')
        .match(/'[^']*'|\S+/g)!
      expect(words.join(' ').startsWith(name)).toBe(true)
      const args = words.slice(name.split(' ').length).map((word) => word.replaceAll("'", ''))
      const { operands, unknown } = command.parseOptions(args)
      expect(unknown).toEqual([])
      const places = command.registeredArguments.some(({ variadic }) => variadic)
        ? Number.POSITIVE_INFINITY
        : command.registeredArguments.length
      expect(operands.length).toBeLessThanOrEqual(places)
    },
  )
})

test.each([
  ['a command', ['rnu'], '(Did you mean run?)'],
  ['a command of a command', ['topics', 'lsit'], '(Did you mean list?)'],
  ['an option', ['run', '--dry-rum'], '(Did you mean --dry-run?)'],
])('%s that is mistyped is refused with a suggestion', async (_, args, hint) => {
  expect(await usageError(...args)).toContain(hint)
})

function helpOf(command: Command): string {
  let help = ''
  command.configureOutput({ writeOut: (text) => (help += text) })
  command.outputHelp()
  return help
}
