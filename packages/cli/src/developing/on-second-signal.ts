/**
 * Has `end` done before a signal ends this process that comes while it is stopping, which is when `signal` is aborted.
 * Returns what gives that up.
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
