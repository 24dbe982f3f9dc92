import { type ConnectorProcess, startConnector } from '../../whole-path/connector-process.ts'

/** Starts commands, and kills those that run when it is disposed of. */
export interface Processes extends AsyncDisposable {
  start(args: readonly string[], variables?: NodeJS.ProcessEnv): ConnectorProcess
  /** Starts a command again when it has ended, until it is asked to stop. `live` ends it each time. */
  restartUntil(done: Promise<void>, start: () => ConnectorProcess, live?: () => Promise<void>): Promise<void>
}

export function createProcesses(): Processes {
  const running = new Set<ConnectorProcess>()
  const killAll = () => {
    for (const { child } of running) child.kill('SIGKILL')
  }
  process.once('exit', killAll)
  return {
    start(args, variables) {
      const started = startConnector(args, variables)
      running.add(started)
      void started.ended.then(() => running.delete(started))
      return started
    },
    async restartUntil(done, start, live) {
      let isDone = false
      void done.then(
        () => (isDone = true),
        () => (isDone = true),
      )
      while (!isDone) {
        const { child, ended } = start()
        if (live) {
          await live()
          child.kill('SIGKILL')
        }
        await ended
      }
      await done
    },
    async [Symbol.asyncDispose]() {
      process.off('exit', killAll)
      killAll()
      await Promise.all(Array.from(running, ({ ended }) => ended))
    },
  }
}
