/**
 * Runs `end` before a second signal ends this process; the first one aborts `signal`. Returns a function that removes the
 * listeners.
 */
export function onSecondSignal(signal: AbortSignal, end: () => Promise<void>): () => void {
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const onSignal = async (name: NodeJS.Signals): Promise<void> => {
    forget()
    await end()
    process.kill(process.pid, name)
  }
  const listen = (): void => {
    for (const name of names) process.on(name, onSignal)
  }
  const forget = (): void => {
    signal.removeEventListener('abort', listen)
    for (const name of names) process.off(name, onSignal)
  }
  if (signal.aborted) listen()
  else signal.addEventListener('abort', listen, { once: true })
  return forget
}
