import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { connector } from './whole-path/connector-process.ts'

/** The arguments of a command line, and the completions of the last one. */
const cases: readonly (readonly [args: readonly string[], offered: readonly string[]])[] = [
  [['top'], ['topics']],
  [
    ['topics', ''],
    ['list', 'describe'],
  ],
  [['checkpoint', 's'], ['show']],
  [
    ['run', '--metr'],
    ['--metrics-port', '--metrics-host'],
  ],
  [
    ['run', '--on-bad-message', ''],
    ['keep', 'stop'],
  ],
  [['run', 'examples/evm', '--on-bad-message', 's'], ['stop']],
  [['run', '--queue', ''], []],
  [
    ['read', 'a.b.1_0_0.c_D', '--order', ''],
    ['desc', 'asc'],
  ],
  [['serve', '--host', 'run', '--env'], ['--environment']],
  [['completion', 'z'], ['zsh']],
  [['doctor', '--he'], ['--help']],
]

type Shell = 'bash' | 'zsh'

/** Returns the completions of the last argument of each list, from one shell. */
async function complete(shell: Shell, lists: readonly (readonly string[])[]): Promise<string[][]> {
  const { code, stdout: program, stderr } = await connector('completion', shell)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const folder = await mkdtemp(join(tmpdir(), 'headrace-completion-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, shell), program)
  const calls = lists.map((args) => {
    const list = ['connector', ...args].map((arg) => `'${arg}'`).join(' ')
    return `COMPREPLY=(); COMP_WORDS=(${list}); COMP_CWORD=${args.length}
      _connector_completion; printf '%s\\n' "\${COMPREPLY[@]}" '${end}'`
  })
  // zsh calls the functions of bash with the options of a plain sh.
  const emulation = shell === 'zsh' ? 'emulate -L sh; setopt kshglob' : ':'
  const start = shell === 'zsh' ? 'autoload -U +X compinit && compinit -u -D; ' : ''
  const options = shell === 'zsh' ? ['-f'] : ['--norc', '--noprofile']
  const script = `${start}source '${join(folder, shell)}'; emulate_sh() { ${emulation}\n${calls.join('\n')}\n}\nemulate_sh`
  const printed = await promisify(execFile)(shell, [...options, '-c', script])
  expect(printed.stderr).toBe('')
  const answers = printed.stdout.split(`${end}\n`).slice(0, -1)
  expect(answers).toHaveLength(lists.length)
  // zsh itself omits completions that do not begin with the argument.
  return answers.map((answer, index) =>
    answer.split('\n').filter((line) => line !== '' && line.startsWith(lists[index]!.at(-1)!)),
  )
}

const end = '-- end of the completions'

const inPath = (shell: string) =>
  (process.env.PATH ?? '').split(':').some((directory) => existsSync(join(directory, shell)))

describe.each(['bash', 'zsh'] as const)('the completion for %s', (shell) => {
  const missing = !inPath(shell)
  describe.skipIf(missing)(`where it is installed${missing ? `, skipped: there is no ${shell}` : ''}`, () => {
    test('completes every command, its options and their values', async () => {
      const { stdout } = await connector('--help')
      const listed = stdout.slice(stdout.indexOf('Commands:')).matchAll(/^ {2}([a-z]+) /gm)
      const commands = [...listed].map(([, name]) => name).filter((name) => name !== 'help')
      const [all, ...completed] = await complete(shell, [[''], ...cases.map(([args]) => args)])
      expect(all).toEqual(commands)
      expect(completed.map((offered, index) => [cases[index]![0], offered])).toEqual(cases)
    })
  })
})

test('an unsupported shell is wrong usage', async () => {
  expect(await connector('completion', 'fish')).toMatchObject({ code: 2, stdout: '' })
})
