import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { editTime, joinChunks } from '../../../scripts/recording/edit-time.ts'
import type { OutputChunk } from '../../../scripts/recording/recorded-output.ts'
import { runInTerminal } from '../../../scripts/recording/run-in-terminal.ts'
import { terminalHistory } from '../../../scripts/recording/terminal-lines.ts'
import { terminalSvg } from '../../../scripts/recording/terminal-svg.ts'

const size = { columns: 40, rows: 3 }
const chunks = (...output: readonly [number, string][]): OutputChunk[] => output.map(([atMs, text]) => ({ atMs, text }))

/** Each content of a line, with the times at which it is seen. */
async function contents(output: readonly OutputChunk[]) {
  const { contents } = await terminalHistory(output, size)
  const byTime = contents.toSorted((a, b) => a.fromMs - b.fromMs || a.line - b.line)
  return byTime.map(({ line, texts, fromMs, untilMs }) => [
    line,
    texts.map(({ text }) => text).join('|'),
    fromMs,
    untilMs,
  ])
}

describe('the recording of a terminal', () => {
  it('knows what each line showed, and when', async () => {
    const seen = await contents(chunks([0, 'one\r\n'], [510, 'wait'], [920, '\r\u001b[Kdone']))
    expect(seen).toEqual([
      [0, 'one', 0, undefined],
      [1, 'wait', 600, 1000],
      [1, 'done', 1000, undefined],
    ])
  })

  it('leaves out what is there for less than a tenth of a second', async () => {
    expect(await contents(chunks([10, 'a'], [20, '\rb'], [30, '\rc']))).toEqual([[0, 'c', 100, undefined]])
  })

  it('scrolls', async () => {
    const { tops } = await terminalHistory(chunks([0, '1\r\n2\r\n3'], [1000, '\r\n4\r\n5']), size)
    expect(tops).toEqual([
      { fromMs: 0, line: 0 },
      { fromMs: 1000, line: 2 },
    ])
  })

  it('keeps colours and styles apart, and draws each text where it stood', async () => {
    const history = await terminalHistory(chunks([0, '  a \u001b[1;32mb\u001b[0m <&>']), size)
    const svg = terminalSvg(history, { size, title: 'A <title>' })
    expect(svg).toContain('<title>A &lt;title&gt;</title>')
    expect(svg).toMatch(/<text x="15.6" [^>]*>a<\/text>/)
    expect(svg).toMatch(/<text x="31.2" [^>]*class="b" style="fill:#3fb950">b<\/text>/)
    expect(svg).toMatch(/>&lt;&amp;&gt;<\/text>/)
  })

  it('is the same for the same output', async () => {
    const draw = async () =>
      terminalSvg(await terminalHistory(chunks([0, 'a\r\n'], [700, 'b']), size), { size, title: '' })
    expect(await draw()).toBe(await draw())
  })

  it('cuts pauses short, and runs faster where all of it would be too long', () => {
    const output = chunks([0, 'a'], [10_000, 'b'], [10_500, 'c'])
    const times = (edited: readonly OutputChunk[]) => edited.map(({ atMs }) => atMs)
    expect(times(editTime(output, { pauseMs: 1000, atMostMs: 9000 }))).toEqual([0, 1000, 1500])
    expect(times(editTime(output, { pauseMs: 1000, atMostMs: 750 }))).toEqual([0, 500, 750])
    expect(times(joinChunks([output, chunks([5, 'd'])]))).toEqual([0, 10_000, 10_500, 10_505])
  })
})

const noScript = spawnSync('script', ['--version']).status === 0 ? '' : ', skipped: there is no "script" of util-linux'
describe.skipIf(noScript)(`a command in a terminal of its own${noScript}`, () => {
  const options = { folder: import.meta.dirname, size, environment: process.env }
  const text = (output: readonly OutputChunk[]) => output.map(({ text }) => text).join('')

  it('finds a terminal of the size that was asked for', async () => {
    expect(text(await runInTerminal({ ...options, command: 'test -t 1 && stty size' }))).toBe('3 40\r\n')
  })

  it('is interrupted as by Ctrl-C', async () => {
    const command = "trap 'echo bye; exit 0' INT; echo hi; while :; do sleep 0.1; done"
    const output = text(await runInTerminal({ ...options, command, interrupt: { after: /hi/, laterMs: 100 } }))
    expect(output).toMatch(/^hi\r\n\^C.*bye\r\n$/s)
  })

  it('that fails is an error, with what it printed', async () => {
    const failing = runInTerminal({ ...options, command: 'echo no; exit 3' })
    await expect(failing).rejects.toThrow('ended with exit code 3:\nno')
  })
})
