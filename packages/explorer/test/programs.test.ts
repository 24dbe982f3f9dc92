import { execFileSync } from 'node:child_process'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { programTokens } from '../src/page/views/topic/use-it/program-tokens.ts'
import { programsFor, type Selection } from '../src/page/views/topic/use-it/programs.ts'
import { javaScriptString, pythonString, shellWord } from '../src/page/views/topic/use-it/quoting.ts'

const hostile = [
  `value.name == "it's" && value.x != '$(touch /tmp/x)'`,
  '`id` $HOME $(id) !! \\ \\n %s "quoted" \'\'',
  '\';id;\'\n"next line"',
  "\u202e\u2066 hidden \u0007\u001b[31m \\' ' \" \u2028",
  '</script><!-- <script>alert(1)</script> 𝔘 é',
  '-n --help',
  '',
]

describe('quoting', () => {
  it('gives every text to a program of bash as it was', () => {
    const words = hostile.map(shellWord).join(' ')
    expect(
      execFileSync('bash', ['--norc', '-c', `printf '%s\\0' ${words}`], {
        encoding: 'utf8',
        env: { LC_ALL: 'C.UTF-8' },
      }),
    ).toBe(hostile.map((text) => `${text}\0`).join(''))
  })

  it('is one word for every shell', () => {
    const count = execFileSync('sh', ['-c', `set -- ${hostile.map(shellWord).join(' ')}; echo $#`], {
      encoding: 'utf8',
    })
    expect(Number(count)).toBe(hostile.length)
  })

  it('gives every text to JavaScript as it was, and never ends a script', () => {
    for (const text of hostile) {
      expect(runInNewContext(javaScriptString(text))).toBe(text)
      expect(javaScriptString(text)).not.toMatch(/<[/!]/)
    }
  })

  it('gives every text to Python as it was', () => {
    const program = `import json; print(json.dumps([${hostile.map(pythonString)}]))`
    expect(JSON.parse(execFileSync('python3', ['-c', program], { encoding: 'utf8' }))).toEqual(hostile)
  })

  it('shows no character that changes the order of others', () => {
    for (const quote of [shellWord, javaScriptString, pythonString])
      expect(hostile.map(quote).join('')).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/)
  })
})

const selection: Selection = {
  url: 'http://127.0.0.1:8080',
  topic: 'headrace.evm.1_0_0.ethereum_Block',
  filter: `value.Hash == "it's"`,
  view: 'log',
  from: '-10m',
}

describe('programs', () => {
  const textOf = (chosen: Selection) => programsFor(chosen).flatMap(({ programs }) => programs.map(({ text }) => text))

  it('have the topic, the filter, the view and the position', () => {
    expect(
      programsFor(selection)[0]!.programs[0]!.text,
    ).toBe(`curl -sG http://127.0.0.1:8080/api/v1/data/headrace.evm.1_0_0.ethereum_Block \\
  -H "Authorization: Bearer $KEY" \\
  --data-urlencode limit=10 \\
  --data-urlencode order=asc \\
  --data-urlencode from=-10m \\
  --data-urlencode view=log \\
  --data-urlencode 'filter=value.Hash == "it'\\''s"'`)
    expect(programsFor(selection)[4]!.programs.map(({ text }) => text)).toEqual([
      `connector read headrace.evm.1_0_0.ethereum_Block --limit 10 --order asc --from -10m --view log --filter 'value.Hash == "it'\\''s"'`,
      `connector tail headrace.evm.1_0_0.ethereum_Block --from -10m --filter 'value.Hash == "it'\\''s"'`,
    ])
    for (const text of textOf(selection)) {
      expect(text).toContain(selection.topic)
      expect(text).toContain('-10m')
    }
  })

  it('have neither filter nor view if none is chosen', () => {
    for (const text of textOf({ ...selection, filter: '', view: 'canonical', from: '' }))
      expect(text).not.toMatch(/filter|view|undefined|-10m/)
  })

  it('are coloured without a change of their text', () => {
    for (const filter of hostile)
      for (const { programs } of programsFor({ ...selection, filter }))
        for (const { text, language } of programs)
          expect(programTokens(text, language).reduce((all, token) => all + token.text, '')).toBe(text)
  })
})
