import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runInProcess } from '../../cli/test/command-in-process.ts'
import { type CommandName, commands, startScaffold, userVariables } from './scaffold-process.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'create-connector-bad-'))
})
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }))

const abi = join(import.meta.dirname, 'bad-input.test.ts')
const erc20Event = { type: 'event', name: 'Transfer', inputs: [], anonymous: false }

/** Runs the command in the folder, and `connector new` in this process. */
async function scaffold(name: CommandName, args: readonly string[]) {
  if (name === 'create-connector') return startScaffold(name, folder, args).ended
  const before = process.cwd()
  process.chdir(folder)
  try {
    return await runInProcess(['new', ...args], { variables: userVariables() })
  } finally {
    process.chdir(before)
  }
}

describe.each(Object.keys(commands) as CommandName[])('%s', (name) => {
  test.each([
    ['a name that is not a package name', ['x', '--name', 'My Demo'], 2, 'invalid_name', '"my-demo"'],
    ['a folder whose name is not a package name', ['My Demo'], 2, 'invalid_name', 'Give --name a valid one'],
    ['an invalid owner', ['x', '--owner', 'a.b'], 2, 'invalid_owner', '"a-b"'],
    ['an unknown template', ['x', '--template', 'rust'], 2, 'unknown_template', 'blank, '],
    ['an unknown package manager', ['x', '--package-manager', 'deno'], 2, 'unknown_package_manager', 'npm, pnpm'],
    ['an option of another template', ['x', '--abi', abi], 2, 'unused_option', '--template evm-events'],
    [
      'several options of another template',
      ['x', '--events', 'A', '--address', '0x'],
      2,
      'unused_option',
      '--events, --address: ',
    ],
    ['a file that is not an ABI', ['x', '--template', 'evm-events', '--abi', abi], 1, 'invalid_abi', abi],
    ['a missing ABI file', ['x', '--template', 'evm-events', '--abi', 'no.json'], 1, 'invalid_abi', 'no.json'],
    ['an unknown event', ['x', '--template', 'evm-events', '--events', 'Transfre'], 1, 'unknown_event', 'Transfer'],
    ['an invalid address', ['x', '--template', 'evm-events', '--address', '0x1'], 1, 'invalid_address', '0x1'],
    ['a folder that cannot be created', ['/dev/null/x'], 1, 'folder_exists', '/dev/null/x'],
  ])('%s is refused, and nothing is written', async (_, args, code, error, message) => {
    const ended = await scaffold(name, args)
    expect(ended).toMatchObject({ code, stdout: '' })
    expect(ended.stderr).toMatch(new RegExp(`^error: .* \\(${error}\\)\n$`, 's'))
    expect(ended.stderr).toContain(message)
    expect(ended.stderr).not.toMatch(/^\s+at /m)
    expect(await readdir(folder)).toEqual([])
  })

  test('an anonymous event is refused, and nothing is written', async () => {
    await writeFile(join(folder, 'abi.json'), JSON.stringify([{ ...erc20Event, anonymous: true }]))
    const args = ['x', '--template', 'evm-events', '--abi', 'abi.json', '--events', 'Transfer']
    const { code, stderr } = await scaffold(name, args)
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('(anonymous_event)') })
    expect(await readdir(folder)).toEqual(['abi.json'])
  })

  test.each([
    ['an unknown option', ['x', '--fast'], "unknown option '--fast'"],
    ['two folders', ['x', 'y'], 'too many arguments'],
    ['a folder without a name', [''], 'It must name a folder'],
    ['an option without its value', ['x', '--template'], "option '--template <name>' argument missing"],
  ])('%s is wrong usage', async (_, args, message) => {
    const { code, stdout, stderr } = await scaffold(name, args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(message)
    expect(await readdir(folder)).toEqual([])
  })

  test('an error is one JSON line with --json', async () => {
    const { code, stdout, stderr } = await scaffold(name, ['x', '--template', 'rust', '--json'])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(JSON.parse(stderr)).toMatchObject({ level: 60, code: 'unknown_template' })
    const usage = await scaffold(name, ['x', '--fast', '--json'])
    expect(JSON.parse(usage.stderr)).toMatchObject({ level: 60, code: 'wrong_usage' })
  })

  test('a folder that is not empty is not changed', async () => {
    await mkdir(join(folder, 'demo'))
    await writeFile(join(folder, 'demo/README.md'), 'mine')
    const { code, stderr } = await scaffold(name, ['demo'])
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('(folder_exists)') })
    expect(await readdir(folder)).toEqual(['demo'])
    expect(await readdir(join(folder, 'demo'))).toEqual(['README.md'])
    expect(await readFile(join(folder, 'demo/README.md'), 'utf8')).toBe('mine')
  })

  test('without a registry the project is kept, and the remaining commands are printed', async () => {
    const { code, stdout, stderr } = await startScaffold(name, folder, ['demo'], {
      npm_config_registry: 'http://127.0.0.1:1/',
      npm_config_fetch_retries: '0',
      npm_config_cache: join(folder, 'cache'),
    }).ended
    expect(code).toBe(69)
    expect(stderr).toContain('ECONNREFUSED')
    expect(stderr).toMatch(/^error: "npm install" could not reach the package registry\..*\(registry_unavailable\)$/m)
    expect(stdout).toBe(
      'It is not set up yet. Next:\n  cd demo\n  npm install\n  npm run codegen\n  npm run typecheck\n  npm run test\n' +
        '  npm run dev\n' +
        'The last command publishes and serves records. It prints a curl command with a key: run that in a second terminal.\n',
    )
    expect(await readdir(join(folder, 'demo'))).toContain('manifest.yaml')
  })

  test('a missing program is named, and the project is kept', async () => {
    const { code, stdout, stderr } = await startScaffold(name, folder, ['demo', '--package-manager', 'bun', '--json'], {
      PATH: folder,
    }).ended
    expect(code).toBe(1)
    expect(JSON.parse(stderr)).toMatchObject({ code: 'program_missing', msg: expect.stringContaining('needs bun,') })
    const { steps, next, files } = JSON.parse(stdout)
    expect(steps).toEqual([{ name: 'install', ms: expect.any(Number), ok: false, output: expect.any(String) }])
    expect(next).toContain('bun install')
    for (const file of files as string[]) expect(await readFile(join(folder, 'demo', file))).toBeDefined()
  })
})
