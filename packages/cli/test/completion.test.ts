import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connector } from './whole-path/connector-process.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headrace-completion-'))
  for (const shell of ['bash', 'zsh']) {
    const { code, stdout, stderr } = await connector('completion', shell)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    await writeFile(join(folder, shell), stdout)
  }
})
afterAll(() => rm(folder, { recursive: true }))

/** Returns the completions of the last of these words. */
async function complete(shell: 'bash' | 'zsh', ...words: string[]): Promise<string[]> {
  const list = ['connector', ...words].map((word) => `'${word}'`).join(' ')
  // zsh calls the functions of bash with the options of a plain sh.
  const call = `emulate_sh() { ${shell === 'zsh' ? 'emulate -L sh; setopt kshglob' : ':'}
    COMP_WORDS=(${list}); COMP_CWORD=${words.length}; _connector_completion; printf '%s\\n' "\${COMPREPLY[@]}"; }
    emulate_sh`
  const start = shell === 'zsh' ? 'autoload -U +X compinit && compinit -u -D; ' : ''
  const options = shell === 'zsh' ? ['-f'] : ['--norc', '--noprofile']
  const script = `${start}source '${join(folder, shell)}'; ${call}`
  const { stdout, stderr } = await promisify(execFile)(shell, [...options, '-c', script])
  expect(stderr).toBe('')
  // zsh itself omits what does not begin with the word.
  return stdout.split('\n').filter((word) => word !== '' && word.startsWith(words.at(-1)!))
}

const inPath = (shell: string) =>
  (process.env.PATH ?? '').split(':').some((directory) => existsSync(join(directory, shell)))

describe.each(['bash', 'zsh'] as const)('%s completes', (shell) => {
  const missing = !inPath(shell)
  describe.skipIf(missing)(`where it is installed${missing ? `, skipped: there is no ${shell}` : ''}`, () => {
    test.each([
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
    ])('%j with %j', async (words, offered) => {
      expect(await complete(shell, ...words)).toEqual(offered)
    })

    test('every command', async () => {
      const { stdout } = await connector('--help')
      const listed = stdout.slice(stdout.indexOf('Commands:')).matchAll(/^ {2}([a-z]+) /gm)
      expect(await complete(shell, '')).toEqual([...listed].map(([, name]) => name).filter((name) => name !== 'help'))
    })
  })
})

test('a shell that is none is wrong usage', async () => {
  expect(await connector('completion', 'fish')).toMatchObject({ code: 2, stdout: '' })
})
