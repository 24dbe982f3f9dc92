import { type ConnectorProcess, startConnector } from '../../whole-path/connector-process.ts'

/** Starts commands, and kills those that run when it is disposed of. */
export interface Processes extends AsyncDisposable {
  start(args: readonly string[], variables?: NodeJS.ProcessEnv): ConnectorProcess
  /** Starts a command, kills it once `lived` resolves, and starts it again, until `done` is settled. */
  restartUntil(done: Promise<void>, start: () => ConnectorProcess, lived: () => Promise<void>): Promise<void>
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
    async restartUntil(done, start, lived) {
      let isDone = false
      void done.then(
        () => (isDone = true),
        () => (isDone = true),
      )
      while (!isDone) {
        const { child, ended } = start()
        await lived()
        child.kill('SIGKILL')
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
