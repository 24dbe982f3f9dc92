import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { parseEnv } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { CommandContext } from '../command-context.ts'
import { readEnvironment } from '../environment.ts'
import { checkEnvFile, noteEnvFile, readEnvFile, withEnvFile } from './with-env-file.ts'

async function createFolder(content?: string | Uint8Array): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'headrace-env-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  if (content !== undefined) await writeFile(join(dir, '.env'), content)
  return dir
}

function createContext(variables: Record<string, string>): CommandContext & { readonly notes: string[] } {
  const notes: string[] = []
  const inform = (text: string): unknown => notes.push(text)
  return { environment: readEnvironment(variables), inform, notes } as unknown as CommandContext & { notes: string[] }
}

test.each([
  '',
  '\n \t\n# comment\n',
  'A=1\nexport B=2\n C = 3 \nD=',
  'A=https://user:secret@host/path?a=b#c # comment',
  'A="x" # "y"\nB=\'two\nlines\'\nC=`"`\r\nD="a\\nb"\r\n',
  'A=["a","b"]\nB={"c":1}\nC=it\'s',
  '\uFEFFA=1',
])('%j has no mistake, and Node reads each of its names', (text) => {
  expect(checkEnvFile(text).mistake).toBeUndefined()
  const names = [...text.matchAll(/^\uFEFF?(?:export)? *([A-Z]) *=/gm)].map(([, name]) => name)
  expect(Object.keys(parseEnv(text.replace('\uFEFF', '')))).toEqual(names)
})

test.each([
  ['A', 1, 'no "="'],
  ['# a\n\nA="x\ny"\nsecret', 5, 'no "="'],
  ['B=1\nA B=1', 2, 'no valid name before its'],
  ['=x', 1, 'no valid name before its'],
  ['1A=2', 1, 'no valid name before its'],
  ['A: 1', 1, 'no "="'],
  ['A="x\nB=2', 1, 'quote is not closed'],
  ['A="x\nB="y"', 1, 'quote is not closed'],
  ['A="x" y', 1, 'continues after its closing quote'],
])('%j has a mistake', (text, line, found) => {
  expect(checkEnvFile(text).mistake).toEqual({ line, found: expect.stringContaining(found) })
})

test('a variable has the line on which its last assignment begins', () => {
  const text = '\uFEFFA=1\r\n# B=1\n\n export B = "x\nC=y"\nD=\nA=2\n'
  expect([...checkEnvFile(text).lines]).toEqual([
    ['A', 7],
    ['B', 4],
    ['D', 6],
  ])
})

describe('a .env file', () => {
  test('adds variables for connectors; the environment wins, even with an empty value', async () => {
    const dir = await createFolder(
      'CONNECTOR_RPC="http://host/#key"\nCONNECTOR_CHAIN=a\nCONNECTOR_START=5\nHEADRACE_KAFKA_CONFIG=k\nOTHER=1\n',
    )
    const context = createContext({ CONNECTOR_CHAIN: 'b', CONNECTOR_START: '', PATH: '/bin' })
    const local = await withEnvFile(dir, context)
    expect(local.environment).toMatchObject({
      kafkaConfig: 'k',
      variables: { CONNECTOR_RPC: 'http://host/#key', CONNECTOR_CHAIN: 'b', CONNECTOR_START: '', PATH: '/bin' },
    })
    expect(local.environment.variables.OTHER).toBeUndefined()
    const file = relative('', join(dir, '.env'))
    expect(local.envFile?.places).toEqual({ CONNECTOR_RPC: `${file}:1`, HEADRACE_KAFKA_CONFIG: `${file}:4` })
    noteEnvFile(local)
    expect(context.notes).toEqual([`read from ${join(dir, '.env')}: CONNECTOR_RPC, HEADRACE_KAFKA_CONFIG`])
  })

  test('that does not exist, or adds nothing, is not reported', async () => {
    for (const content of [undefined, '', 'OTHER=1', 'CONNECTOR_CHAIN=a']) {
      const context = createContext({ CONNECTOR_CHAIN: 'b' })
      const local = await withEnvFile(await createFolder(content), context)
      noteEnvFile(local)
      expect(context.notes).toEqual([])
      expect(local.environment).toEqual(context.environment)
    }
  })

  test('that is malformed is refused with its line, and without a quotation', async () => {
    const dir = await createFolder('CONNECTOR_A=1\nsecret-key\n')
    const error = await readEnvFile(join(dir, '.env')).catch((one) => one)
    expect(error).toMatchObject({ code: 'invalid_env_file' })
    expect(error.message).toBe(
      `${join(dir, '.env')}:2:1: This line has no "=". ` +
        'Write NAME=value, NAME="a value with spaces or # in it", or # and a comment.',
    )
  })

  test('that cannot be read is refused', async () => {
    const dir = await createFolder()
    await mkdir(join(dir, '.env'))
    await expect(readEnvFile(join(dir, '.env'))).rejects.toThrow(/cannot be read: EISDIR/)
    const binary = await createFolder(Uint8Array.of(0x41, 0x3d, 0xff, 0xfe))
    await expect(readEnvFile(join(binary, '.env'))).rejects.toThrow(/is not UTF-8 text/)
  })
})
