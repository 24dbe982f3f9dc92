import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const readYaml = (file: string) => parse(readFileSync(join(root, file), 'utf8'))
const guide = readFileSync(join(root, 'docs/guides/ci.md'), 'utf8')
/** The blocks of YAML in the guide. */
const snippets = [...guide.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, code]) => code!)

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>
  readonly runs: { readonly steps: readonly ActionStep[] }
}

interface ActionStep {
  readonly uses?: string
  readonly run?: string
  readonly env?: Readonly<Record<string, string>>
}

const action: Action = readYaml('action.yml')

/** A checkout of a pull request that changes the type of a published field, as `actions/checkout` makes it. */
function checkOutPullRequest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'headrace-ci-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const origin = join(folder, 'origin')
  const manifest = 'package: rates\nowner: acme\nversion: 1.0.0\n'
  commit(origin, 'main', {
    'connectors/rates/manifest.yaml': manifest,
    'connectors/rates/rate.proto': 'syntax = "proto3";\nmessage Rate {\n  string day = 1;\n}\n',
    'connectors/other/manifest.yaml': manifest.replace('rates', 'other'),
    'connectors/other/other.proto': 'syntax = "proto3";\nmessage Other {\n  string day = 1;\n}\n',
  })
  commit(origin, 'change', {
    'connectors/rates/rate.proto': 'syntax = "proto3";\nmessage Rate {\n  int64 day = 1;\n}\n',
  })
  const checkout = join(folder, 'checkout')
  execFileSync('git', ['clone', '-q', '--depth=1', '--branch=change', `file://${origin}`, checkout])
  mkdirSync(join(checkout, 'node_modules/@headrace'), { recursive: true })
  symlinkSync(join(root, 'packages/cli'), join(checkout, 'node_modules/@headrace/cli'))
  return checkout
}

function commit(repository: string, branch: string, files: Record<string, string>): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(repository, file)), { recursive: true })
    writeFileSync(join(repository, file), text)
  }
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: repository })
  if (!existsSync(join(repository, '.git'))) git('init', '-q')
  git('checkout', '-q', '-B', branch)
  git('add', '-A')
  git('commit', '-q', '-m', branch)
}

/** Runs the scripts of the action as a runner does, until one fails. */
function runAction(checkout: string, inputs: Record<string, string>) {
  const outputs = join(checkout, '../outputs')
  writeFileSync(outputs, '')
  const value = (name: string) => inputs[name] ?? action.inputs[name]!.default ?? ''
  for (const { run, env } of action.runs.steps) {
    if (run === undefined) continue
    const given = Object.entries(env ?? {}).map(([name, text]) => [
      name,
      text.replace(/\$\{\{ inputs\.([\w-]+) \}\}/, (_, input: string) => value(input)),
    ])
    const ended = bash(run, checkout, {
      ...Object.fromEntries(given),
      GITHUB_ACTIONS: 'true',
      GITHUB_ACTION_PATH: root,
      GITHUB_WORKSPACE: checkout,
      GITHUB_BASE_REF: 'main',
      GITHUB_OUTPUT: outputs,
    })
    if (ended.status !== 0) return { ...ended, outputs: readFileSync(outputs, 'utf8') }
  }
  return { status: 0, stdout: '', stderr: '', outputs: readFileSync(outputs, 'utf8') }
}

function bash(script: string, cwd: string, env: Record<string, string>) {
  const path = `${dirname(process.execPath)}:${process.env.PATH}`
  const options = { cwd, env: { ...process.env, ...env, PATH: path }, encoding: 'utf8' } as const
  return spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], options)
}

const breaking = /connectors\/rates\/rate\.proto:3:9: error: /

test('the action annotates a change in a pull request that breaks readers', () => {
  const { status, stdout, outputs } = runAction(checkOutPullRequest(), { dirs: 'connectors/*' })
  expect(stdout).toMatch(breaking)
  expect(stdout).toMatch(/^::error file=connectors\/rates\/rate\.proto,line=3,col=9,title=incompatible_schema::/m)
  expect({ status, outputs }).toEqual({ status: 1, outputs: 'usable=true\n' })
})

test('the action succeeds for connectors without mistakes', () => {
  expect(runAction(checkOutPullRequest(), { dirs: 'connectors/*', against: 'none' }).status).toBe(0)
})

test('the job for GitLab fails for a change that breaks readers', () => {
  const job = snippets.map((code) => parse(code)).find(({ manifests }) => manifests !== undefined).manifests
  const { status, stdout, stderr } = bash(job.script.join('\n'), checkOutPullRequest(), { BASE: 'main' })
  expect(stdout, stderr).toMatch(breaking)
  expect(status).toBe(1)
})

test('the hook checks the connectors to which the files belong, with the options of the guide', () => {
  const checkout = checkOutPullRequest()
  const [hook] = readYaml('.pre-commit-hooks.yaml')
  writeFileSync(join(checkout, 'stray.proto'), 'syntax = "proto3";\n')
  const check = (...args: string[]) =>
    spawnSync(process.execPath, [join(root, hook.entry), ...args], { cwd: checkout, encoding: 'utf8' })
  const files = ['connectors/rates/rate.proto', 'connectors/rates/manifest.yaml', 'stray.proto']
  expect(files.filter((file) => new RegExp(hook.files).test(file))).toEqual(files)
  expect(check(...hook.args, 'stray.proto')).toMatchObject({ status: 0, stdout: '' })
  const { args } = parse(snippets.find((code) => code.includes('args:'))!)
  execFileSync('git', ['fetch', '-q', '--depth=1', 'origin', 'main:refs/remotes/origin/main'], { cwd: checkout })
  expect(check(...args, ...files)).toMatchObject({ status: 1, stdout: expect.stringMatching(breaking) })
})

test('the guide lists every input of the action', () => {
  const table = guide.split('\n## ').find((section) => section.startsWith('GitHub\n'))!
  const listed = [...table.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name)
  expect(listed).toEqual(Object.keys(action.inputs))
})
