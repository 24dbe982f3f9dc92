import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Command } from 'commander'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readReferencePage } from '../../../testbed/reference/reference-page.ts'
import { runInProcess } from '../../test/command-in-process.ts'
import type { CommandContext } from '../command-context.ts'
import type { Environment } from '../environment.ts'
import { addManifestValidateCommand, formatAnnotation } from './manifest-validate.ts'

const onGitHub = {
  githubActions: true,
  githubWorkspace: undefined,
  queue: undefined,
  kafkaConfig: undefined,
  apiKey: undefined,
  schemaRegistries: [],
  webhookSecret: undefined,
  variables: {},
}

/** Runs the command on a project with a mistake and a warning, and gives its streams. */
async function validate(environment: Partial<Environment>, ...args: string[]) {
  const dir = await mkdtemp(join(tmpdir(), 'headrace-validate-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  await writeFile(join(dir, 'manifest.yaml'), 'package: e.v.m\nowner: acme\nversion: 1.0.0\nauthors: me\n')
  await writeFile(join(dir, 'a.proto'), 'syntax = "proto3";\nmessage A { string a = 1; }\n')
  const seen = { stdout: '', stderr: '', code: 0 }
  const context: Partial<CommandContext> = {
    environment: { ...onGitHub, githubWorkspace: dir, ...environment },
    output: {
      async write(text) {
        seen.stdout += text
      },
    },
    note(text) {
      seen.stderr += `${text}\n`
    },
    exitWith(code) {
      seen.code = code
    },
  }
  const manifest = new Command()
  addManifestValidateCommand(manifest, context as CommandContext)
  await manifest.parseAsync(['validate', dir, ...args], { from: 'user' })
  return { ...seen, dir }
}

const annotations =
  '::error file=manifest.yaml,line=1,col=10,title=invalid_field::"package" is "e.v.m"; it must be letters A to Z and a ' +
  'to z, digits, "_" and "-", beginning with a letter or digit, and not a version such as 1_0_0. Write, for example,  ' +
  'package: e-v-m\n' +
  '::warning file=manifest.yaml,line=4,col=1,title=unknown_field::The field "authors" is unknown. Did you mean "author"?\n'

test('on GitHub each problem is also an annotation, relative to the workspace', async () => {
  const { stdout, stderr, code, dir } = await validate({})
  expect(stdout).toContain(`${dir}/manifest.yaml:1:10: error: `)
  expect(stdout.endsWith(annotations)).toBe(true)
  expect({ stderr, code }).toEqual({ stderr: '', code: 1 })
})

test('with --json annotations go to standard error', async () => {
  const { stdout, stderr } = await validate({}, '--json')
  expect(JSON.parse(stdout)).toMatchObject({
    valid: false,
    problems: [{ line: 1, column: 10 }, { severity: 'warning' }],
  })
  expect(stderr).toBe(annotations)
})

test('outside GitHub no annotation is printed', async () => {
  expect((await validate({ githubActions: false })).stdout).not.toContain('::')
})

test('the page on the manifest lists every option', () => {
  const manifest = new Command()
  addManifestValidateCommand(manifest, {} as CommandContext)
  const listed = readReferencePage('manifest.md').rows('Checking', 'option')
  expect(manifest.commands[0]!.options.map(({ flags }) => flags)).toEqual(listed.map(([flags]) => flags))
})

test('several folders are checked, and a mistake in one of them is exit code 1', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'headrace-validate-'))
  onTestFinished(() => rm(parent, { recursive: true }))
  vi.spyOn(process, 'cwd').mockReturnValue(parent)
  onTestFinished(() => void vi.restoreAllMocks())
  for (const [dir, owner] of [
    ['wrong', 'A B'],
    ['right', 'acme'],
  ] as const) {
    await mkdir(join(parent, dir))
    await writeFile(join(parent, dir, 'manifest.yaml'), `package: evm\nowner: ${owner}\nversion: 1.0.0\n`)
    await writeFile(join(parent, dir, 'a.proto'), 'syntax = "proto3";\nmessage A { string a = 1; }\n')
  }
  const { code, stdout } = await runInProcess(['manifest', 'validate', 'wrong', 'right'])
  expect({ code, lines: stdout.trimEnd().split('\n') }).toEqual({
    code: 1,
    lines: [expect.stringMatching(/^wrong\/manifest\.yaml:2:8: error: "owner" is "A B"/), 'right: valid'],
  })
  const json = await runInProcess(['manifest', 'validate', 'right', 'wrong', '--json'])
  expect(json.code).toBe(1)
  expect(
    json.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { dir: 'right', valid: true, problems: [] },
    { dir: 'wrong', valid: false, problems: [{ file: join(parent, 'wrong/manifest.yaml') }] },
  ])
})

test('characters that end an annotation or a property are escaped', () => {
  const annotation = formatAnnotation({
    severity: 'error',
    code: 'unknown_field',
    file: resolve('a,b:c/manifest.yaml'),
    line: 3,
    column: 7,
    message: '100% wrong:\nfix it, please',
  })
  expect(annotation).toBe(
    '::error file=a%2Cb%3Ac/manifest.yaml,line=3,col=7,title=unknown_field::100%25 wrong:%0Afix it, please\n',
  )
})
