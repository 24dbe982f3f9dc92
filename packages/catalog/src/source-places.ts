import { LineCounter } from 'yaml'

/** From 1. */
export interface Place {
  readonly line: number
  readonly column: number
}

export interface FilePlace extends Place {
  /** Absolute path. */
  readonly file: string
}

export function createPlaces(text: string): (offset: number) => Place {
  const counter = new LineCounter()
  counter.addNewLine(0)
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) counter.addNewLine(at + 1)
  return (offset) => {
    const { line, col } = counter.linePos(offset)
    return { line, column: col }
  }
}
