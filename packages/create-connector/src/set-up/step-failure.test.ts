import { expect, test } from 'vitest'
import type { Answers } from '../project/answers.ts'
import type { TemplateStep } from '../template/template.ts'
import { type EndedStep, stepFailure } from './run-steps.ts'

const install: TemplateStep = { name: 'install', run: ['{npm}', 'install'] }
const tests: TemplateStep = { name: 'test', run: ['{npm}', 'run', 'test'] }
const answers = { packageManager: 'npm' } as Answers

function ended(values: Partial<EndedStep>): EndedStep {
  return { all: '', exitCode: 1, isCanceled: false, ...values }
}

/** Real output of the package managers. */
const unreachable = {
  npm: 'npm error code ECONNREFUSED\nnpm error syscall connect\nnpm error errno ECONNREFUSED',
  'npm without names': 'npm error network request to http://x/ failed, reason: getaddrinfo ENOTFOUND x',
  pnpm: '  ├─▶ client error (Connect)\n  ├─▶ tcp connect error\n  ╰─▶ Connection refused (os error 111)',
  yarn: '➤ YN0001: │ RequestError: connect ECONNREFUSED 127.0.0.1:1',
  'yarn 1': 'error Error: connect ECONNREFUSED 127.0.0.1:1',
  bun: 'error: ConnectionRefused downloading package manifest is-odd',
  pip: "connection broken by 'NewConnectionError('<…>: Failed to establish a new connection: [Errno 111] Connection refused')': /x/",
  go: 'Get "http://127.0.0.1:1/x/@v/v1.36.0.mod": dial tcp 127.0.0.1:1: connect: connection refused',
}

test.each(Object.entries(unreachable))('a registry that %s cannot reach is reported as unavailable', (_, output) => {
  expect(stepFailure(install, answers, ended({ all: output }))).toMatchObject({ code: 'registry_unavailable' })
})

test('a test step with a network error is a failed step', () => {
  const failure = stepFailure(tests, answers, ended({ all: unreachable.npm }))
  expect(failure).toMatchObject({
    code: 'step_failed',
    message: expect.stringContaining('"npm run test" ended with exit code 1'),
  })
})

test('an install that fails for another reason is not reported as a network error', () => {
  const output = 'npm error code E404\nnpm error 404 Not Found - GET http://x/nothing'
  expect(stepFailure(install, answers, ended({ all: output }))).toMatchObject({ code: 'step_failed' })
})

/** Real output of the package managers, or messages in their sources. */
const absent = {
  npm: 'npm error code E404\nnpm error 404 Not Found - GET https://registry.example.com/@headrace%2fcli - Not found',
  'npm for a version': 'npm error code ETARGET\nnpm error notarget No matching version found for @headrace/cli@0.1.0.',
  pnpm: ' ERR_PNPM_FETCH_404  GET https://registry.example.com/@headrace%2Fcli: Not Found - 404',
  yarn: '➤ YN0035: │ @headrace/cli@npm:0.1.0: Package not found\n➤ YN0035: │   Response Code: 404 (Not Found)',
  'yarn 1': 'error Error: https://registry.example.com/@headrace%2fcli: Not found',
  bun: 'error: GET https://registry.example.com/@headrace%2fcli - 404',
}

test.each(Object.entries(absent))(
  'a registry without the packages of Headrace is recognised in the output of %s',
  (_, output) => {
    expect(stepFailure(install, answers, ended({ all: output }))).toMatchObject({
      code: 'packages_not_found',
      message: expect.stringMatching(/the package registry does not have @headrace\/cli\. .* "npm run create -- DIR"/),
    })
  },
)

test.each([
  ['that cannot be started', { code: 'ENOENT', exitCode: undefined }, 'npm'],
  ['that dash does not find', { exitCode: 127, all: 'sh: 1: python3: not found' }, 'python3'],
  ['that bash does not find', { exitCode: 127, all: '> x\nsh: line 1: go: command not found\n' }, 'go'],
])('a program %s is named', (_, values, program) => {
  expect(stepFailure(install, answers, ended(values))).toMatchObject({
    code: 'program_missing',
    message: expect.stringContaining(`needs ${program},`),
  })
})

test('a cancelled step is reported as cancelled', () => {
  const failure = stepFailure(install, answers, ended({ exitCode: undefined, isCanceled: true }))
  expect(failure).toMatchObject({ code: 'scaffold_cancelled' })
})

test('a killed step is reported as killed', () => {
  const failure = stepFailure(install, answers, ended({ exitCode: undefined }))
  expect(failure).toMatchObject({ code: 'step_failed', message: expect.stringContaining('was killed') })
})

test('a step that ends with 0 has not failed', () => {
  expect(stepFailure(install, answers, ended({ exitCode: 0, all: unreachable.npm }))).toBeUndefined()
})
