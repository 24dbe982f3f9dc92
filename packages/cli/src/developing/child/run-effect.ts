import type { FromRun } from '../process-messages.ts'

export interface RunEffect {
  onStart(run: { readonly topics: readonly string[]; readonly checkpoint: unknown }): void
  onCommit(): void
  ended(): void
  close(): void
}

/** A source without a commit for this many ms after a restart is probably waiting for new data. */
const quietMs = 2000

/** Reports the topics of a run when they have records, and once if it continues a checkpoint and has nothing new. */
export function createRunEffect(report: (message: FromRun) => void): RunEffect {
  let topics: readonly string[] = []
  let checkpoint: unknown = null
  let isSettled = false
  let timer: NodeJS.Timeout | undefined

  function nothingNew(): void {
    clearTimeout(timer)
    if (checkpoint === null || isSettled) return
    isSettled = true
    report({ type: 'nothing_new', checkpoint })
  }

  return {
    onStart(run) {
      ;({ topics, checkpoint } = run)
      if (checkpoint === null) return
      report({ type: 'published', topics })
      timer = setTimeout(nothingNew, quietMs)
    },
    onCommit() {
      if (isSettled) return
      isSettled = true
      clearTimeout(timer)
      report({ type: 'published', topics })
    },
    ended: nothingNew,
    close: () => clearTimeout(timer),
  }
}
