import { describe, expect, it } from 'vitest'
import { applyChange, firstMissing, guideSteps } from '../guide/guide.ts'

const block = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\`\n`

describe('the steps of a guide', () => {
  it('are read in order, each change with the most recently named file', () => {
    const page = `Type\n\n${block('sh', 'ls')}\nIn \`src/a.ts\`, \`x\` of \`.env\`:\n\n${block('diff', '-a\n+b')}\n${block('text', 'done')}`
    expect(guideSteps(page)).toEqual([
      { kind: 'commands', script: 'ls\n' },
      { kind: 'change', file: '.env', diff: '-a\n+b\n' },
      { kind: 'output', lines: ['done'] },
    ])
  })

  it('do not include text without a command or a change', () => {
    expect(() => guideSteps(block('ts', 'const a = 1'))).toThrow('Found: "ts"')
    expect(() => guideSteps(block('diff', '+a'))).toThrow('Found: "diff"')
  })
})

describe('a change', () => {
  it('is applied at its lines', () => {
    expect(applyChange('a\nb\n\nc\nb\n', ' b\n\n-c\n+d\n+e')).toBe('a\nb\n\nd\ne\nb\n')
  })

  it('is refused if its lines are missing or occur twice', () => {
    expect(() => applyChange('a\n', '-b\n+c')).toThrow('There is no place')
    expect(() => applyChange('b\nb\n', '-b\n+c')).toThrow('There are several places')
  })
})

describe('the expected output', () => {
  const output = '\u001b[32mone\u001b[0m two\nthree\nfour (4)\n'

  it('may have other lines in between', () => {
    expect(firstMissing(output, ['one …', 'four (4)'])).toBeUndefined()
  })

  it('is missing if a line differs or is in another order', () => {
    expect(firstMissing(output, ['one'])).toBe('one')
    expect(firstMissing(output, ['three', 'one two'])).toBe('one two')
    expect(firstMissing(output, ['four .4.'])).toBe('four .4.')
    expect(firstMissing(output, ['o…e…two'])).toBeUndefined()
    for (const line of ['n…', '…one', 'o…two…e…', 'one two…two', 'o…x…two'])
      expect(firstMissing(output, [line])).toBe(line)
  })
})
