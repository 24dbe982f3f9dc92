import type { Connector, Schema, Unit } from '@headrace/sdk'

/** The processes of a connector's child, by the log. */
export interface ChildWatch {
  /** Kills the newest one with SIGKILL. Returns false if it has ended. */
  kill(): boolean
  readonly starts: number
  /** The stream of the logger. */
  write(line: string): void
}

export function watchChild(): ChildWatch {
  let pid: number | undefined
  let starts = 0
  return {
    kill() {
      try {
        return process.kill(pid!, 'SIGKILL')
      } catch {
        return false
      }
    },
    get starts() {
      return starts
    },
    write(line) {
      const entry = JSON.parse(line) as { msg: string; pid: number }
      if (entry.msg !== 'child started') return
      pid = entry.pid
      starts++
    },
  }
}

/** The given connector. `onUnit` is called with each unit before it is published. */
export function observed(
  connector: Connector<Schema, unknown>,
  onUnit: (unit: Unit<Schema, unknown>) => void,
): Connector<Schema, unknown> {
  return {
    schema: connector.schema,
    async *read(source) {
      for await (const unit of connector.read(source)) {
        onUnit(unit)
        yield unit
      }
    },
  }
}
