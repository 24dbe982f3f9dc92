/**
 * `AbortSignal.any` that retains no memory beyond its users. Node's keeps a signal with listeners, and with it a whole
 * simulation, until it is aborted.
 */
export function createAbortAny(): typeof AbortSignal.any {
  const dependents = new WeakMap<AbortSignal, AbortController[]>()

  function dependentsOf(source: AbortSignal): AbortController[] {
    const known = dependents.get(source)
    if (known) return known
    const controllers: AbortController[] = []
    dependents.set(source, controllers)
    const abort = (): void => {
      for (const controller of controllers) controller.abort(source.reason)
    }
    source.addEventListener('abort', abort, { once: true })
    return controllers
  }

  return (signals) => {
    const controller = new AbortController()
    const sources = [...signals]
    const aborted = sources.find((source) => source.aborted)
    if (aborted) controller.abort(aborted.reason)
    else for (const source of sources) dependentsOf(source).push(controller)
    return controller.signal
  }
}
