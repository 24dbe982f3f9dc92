import { readFile } from 'node:fs/promises'
import { execa } from 'execa'
import { expect, test } from 'vitest'

const max = 2n ** 64n - 1n
const amounts = [0n, 8n, max, max + 1n, 2n ** 100n + 7n, 2n ** 256n - 1n]
const values = amounts.map((amount) => {
  const digits = amount.toString(16)
  const exact = { AmountExact: `0x${digits.length % 2 === 0 ? '' : '0'}${digits}` }
  return amount > max ? { Amount: `${max}`, ...exact } : { Amount: `${amount}` }
})

async function codeIn(language: string): Promise<string> {
  const page = await readFile(new URL('../README.md', import.meta.url), 'utf8')
  return new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'ms').exec(page)![1]!
}

test('the TypeScript of the README reads amounts of any size', async () => {
  const read = new Function('value', `${await codeIn('ts')}; return amount`)
  expect(values.map((value) => read(value))).toEqual(amounts)
})

test('the Python of the README reads amounts of any size', async () => {
  const program = `import json\nfor value in json.loads(input()):\n    ${await codeIn('python')}    print(amount)`
  const { stdout } = await execa('python3', ['-c', program], { input: JSON.stringify(values) })
  expect(stdout.split('\n')).toEqual(amounts.map(String))
})
