import type { Logger } from 'pino'

/** Says that requests of a run were not sent, a while after the first one and at the end. */
export interface RecalledNote {
  count(): void
  end(): void
}

const noteMs = 1000

export function createRecalledNote(log: Logger): RecalledNote {
  let requests = 0
  let timer: NodeJS.Timeout | undefined
  const tell = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (requests > 0) log.info({ requests }, 'answered with what was answered before; --no-cache asks anew')
    requests = 0
  }
  return {
    count() {
      requests++
      timer ??= setTimeout(tell, noteMs)
    },
    end: tell,
  }
}
