/** A piece of what a terminal was sent. */
export interface OutputChunk {
  /** Since the recording began. */
  readonly atMs: number
  readonly text: string
}

export interface TerminalSize {
  readonly columns: number
  readonly rows: number
}
