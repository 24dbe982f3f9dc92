import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Answers } from '../project/answers.ts'
import type { Template } from '../template/template.ts'
import { nextLines } from './command-line.ts'

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

test('the steps that are left come between the way to the folder and what is next', () => {
  expect(nextLines(template, answersIn(join(process.cwd(), 'demo')), template.steps)).toEqual([
    'cd demo',
    'pnpm install',
    "pnpm run test -- 'a b'",
    'pnpm run dev',
  ])
})

test('in the folder itself there is no way to go', () => {
  expect(nextLines(template, answersIn(process.cwd()), [])).toEqual(['pnpm run dev'])
})

test('a folder is named as one would type it', () => {
  expect(nextLines(template, answersIn(join(process.cwd(), "it's here")), [])[0]).toBe(String.raw`cd 'it'\''s here'`)
  expect(nextLines(template, answersIn('/demo'), [])[0]).toBe('cd /demo')
})
