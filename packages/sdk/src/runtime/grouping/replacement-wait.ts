/** How long the source may have nothing while it replaces what it has taken back, in ms. */
const silenceMs = 500

/** Whether a group is still waiting for the units that replace those it takes back. */
export interface ReplacementWait {
  readonly waiting: boolean
  /** Waits for this many units. */
  begin(units: number): void
  unitFollowed(): void
  /** Waits no longer. */
  end(): void
}

/** `onEnd` is called each time a wait ends. */
export function createReplacementWait(onEnd: () => void): ReplacementWait {
  let missing = 0
  let timer: NodeJS.Timeout | undefined

  function end(): void {
    if (missing === 0) return
    missing = 0
    clearTimeout(timer)
    onEnd()
  }

  function wait(units: number): void {
    missing = units
    clearTimeout(timer)
    timer = setTimeout(end, silenceMs)
  }

  return {
    get waiting() {
      return missing > 0
    },
    begin(units) {
      if (units > 0) wait(units)
    },
    unitFollowed() {
      if (missing === 1) end()
      else if (missing > 1) wait(missing - 1)
    },
    end,
  }
}
