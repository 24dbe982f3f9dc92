import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A page of `docs/reference`, which tests compare with the code. Its methods throw if they find nothing. */
export interface ReferencePage {
  readonly text: string
  /** Rows of the tables under a heading whose first column has this name. Cells are without backticks. */
  rows(heading: string, column: string): string[][]
  /** Fenced blocks of a language under a heading. */
  code(heading: string, language: string): string[]
}

export function readReferencePage(name: string): ReferencePage {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/reference', name), 'utf8')
  return {
    text,
    rows(heading, column) {
      const tables = [...section(text, heading).matchAll(/(?:^\|.*\|\n)+/gm)].map(([table]) => cells(table))
      const rows = tables.filter(([head]) => head![0] === column).flatMap((table) => table.slice(2))
      return present(rows, `table of each ${column} under "${heading}"`)
    },
    code(heading, language) {
      const blocks = [...section(text, heading).matchAll(/^```(\w+)\n(.*?)^```$/gms)]
      const found = blocks.filter((block) => block[1] === language).map((block) => block[2]!)
      return present(found, `${language} block under "${heading}"`)
    },
  }
}

/** From a heading of any level to the next one. */
function section(text: string, heading: string): string {
  const sections = text.split(/^#+ /m).filter((section) => section.startsWith(`${heading}\n`))
  return present(sections, `heading "${heading}"`)[0]!
}

function cells(table: string): string[][] {
  const lines = table.trimEnd().split('\n')
  return lines
    .map((line) => line.split('|').slice(1, -1))
    .map((row) => row.map((cell) => cell.replaceAll('`', '').trim()))
}

function present<T>(found: readonly T[], what: string): T[] {
  if (found.length === 0) throw new Error(`The page has no ${what}.`)
  return [...found]
}
