import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type CommandName, commands, userVariables } from './scaffold-process.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'create-connector-terminal-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const keys = { enter: '\r', down: '\u001b[B', clear: '\u0015', interrupt: '\u0003' }

/** The text that is expected on the terminal, and what is typed then. */
type Dialogue = readonly (readonly [shown: string, typed: string])[]

/** Runs the command on a pseudo-terminal, made by `script` of util-linux, and resolves to what was shown there. */
async function converse(
  name: CommandName,
  args: readonly string[],
  dialogue: Dialogue,
  variables: NodeJS.ProcessEnv = {},
) {
  const line = [process.execPath, ...commands[name], ...args].map((arg) => `'${arg}'`).join(' ')
  const child = spawn('script', ['--quiet', '--return', '--flush', '--command', line, '/dev/null'], {
    cwd: folder,
    env: { ...userVariables(), TERM: 'xterm', ...variables },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  const left = [...dialogue]
  let shown = ''
  let seen = 0
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown = stripVTControlCharacters(shown + text)
    const at = left[0] ? shown.indexOf(left[0][0], seen) : -1
    if (at < 0) return
    seen = at + left[0]![0].length
    child.stdin.write(left.shift()![1])
  })
  const [code] = await ended
  return { code: code as number, shown, left }
}

describe.each(Object.keys(commands) as CommandName[])('%s on a terminal', (name) => {
  test('asks for values that were not given, and uses defaults for empty answers', async () => {
    const dialogue: Dialogue = [
      ['Folder of the project', `${keys.clear}quotes${keys.enter}`],
      ['Template', keys.enter],
      ['Name of the npm package', keys.enter],
      ['Owner of the topics', `acme${keys.enter}`],
    ]
    const { code, shown, left } = await converse(name, ['--no-install'], dialogue)
    expect({ code, left }).toEqual({ code: 0, left: [] })
    expect(shown).toContain('template blank')
    const manifest = await readFile(join(folder, 'quotes/manifest.yaml'), 'utf8')
    expect(manifest).toMatch(/^owner: acme$/m)
    expect(manifest).toMatch(/^package: quotes$/m)
  })

  test('asks which events of a contract', async () => {
    const dialogue: Dialogue = [
      ['Owner of the topics', keys.enter],
      ['ABI file', keys.enter],
      ['Events', `${keys.down} ${keys.enter}`],
      ['Name of the contract', `token${keys.enter}`],
      ['Address of the contract', keys.enter],
    ]
    const args = ['demo', '--template', 'evm-events', '--name', 'demo', '--no-install']
    const { code, left } = await converse(name, args, dialogue)
    expect({ code, left }).toEqual({ code: 0, left: [] })
    const manifest = await readFile(join(folder, 'demo/manifest.yaml'), 'utf8')
    expect(manifest).toContain('token_Transfer')
    expect(manifest).not.toContain('token_Approval')
  })

  test('explains an invalid answer, and asks again', async () => {
    const dialogue: Dialogue = [
      ['Owner of the topics', `a.b${keys.enter}`],
      ['"a.b" is not a valid owner', `${keys.clear}Acme${keys.enter}`],
    ]
    const args = ['demo', '--template', 'blank', '--name', 'demo', '--no-install']
    const { code, left } = await converse(name, args, dialogue)
    expect({ code, left }).toEqual({ code: 0, left: [] })
    expect(await readFile(join(folder, 'demo/manifest.yaml'), 'utf8')).toMatch(/^owner: Acme$/m)
  })

  test('asks nothing with --yes', async () => {
    const { code, shown } = await converse(name, ['demo', '--yes', '--no-install'], [])
    expect(code).toBe(0)
    expect(shown).not.toContain('?')
  })

  test('shows the current step', async () => {
    const { code, shown } = await converse(name, ['demo', '--yes'], [], {
      npm_config_registry: 'http://127.0.0.1:1/',
      npm_config_fetch_retries: '0',
      npm_config_cache: join(folder, 'cache'),
    })
    expect(code).toBe(69)
    expect(shown).toMatch(/^ {2}install {4}…(?:\r {2}install {4}… \d+ s)*\r {2}install {4}failed after \d+\.\d s\r$/m)
  })

  test('writes nothing if the questions are cancelled', async () => {
    const { code, shown, left } = await converse(name, [], [['Folder of the project', keys.interrupt]])
    expect({ code, left }).toEqual({ code: 1, left: [] })
    expect(shown).toContain('(scaffold_cancelled)')
    expect(await readdir(folder)).toEqual([])
  })
})
