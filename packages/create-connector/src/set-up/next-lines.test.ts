import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Answers } from '../project/answers.ts'
import type { Template } from '../template/template.ts'
import { nextLines } from './run-steps.ts'

const template: Template = {
  ...{ name: 'blank', folder: '', title: '', description: '', language: 'typescript' },
  steps: [
    { name: 'install', run: ['{npm}', 'install'] },
    { name: 'test', run: ['{npm}', 'run', 'test', '--', 'a b'] },
  ],
  next: ['cd {dir}', '{npm} run dev'],
}

function answersIn(dir: string): Answers {
  return { dir, template: 'blank', name: 'x', package: 'x', owner: 'local', packageManager: 'pnpm' }
}

test('the remaining steps come between the change of folder and the next commands', () => {
  expect(nextLines(template, answersIn(join(process.cwd(), 'demo')), template.steps)).toEqual([
    'cd demo',
    'pnpm install',
    "pnpm run test -- 'a b'",
    'pnpm run dev',
  ])
})

test('in the folder itself no change of folder is shown', () => {
  expect(nextLines(template, answersIn(process.cwd()), [])).toEqual(['pnpm run dev'])
})

test('a folder is shown by its shorter path, quoted if necessary', () => {
  expect(nextLines(template, answersIn(join(process.cwd(), "it's here")), [])[0]).toBe(String.raw`cd 'it'\''s here'`)
  expect(nextLines(template, answersIn('/demo'), [])[0]).toBe('cd /demo')
})
