import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** A program in its own process, which answers calls. */
export interface Program extends AsyncDisposable {
  call<T = void>(method: string, params?: unknown): Promise<T>
}

/** The resources that a process has used. */
export interface Usage {
  /** Of all threads, user and system, in ms. */
  readonly cpuMs: number
  /** Resident memory in bytes. */
  readonly memory: number
}

interface Call {
  readonly id: number
  readonly method: string
  readonly params: unknown
}

interface Answer {
  readonly id: number
  readonly result?: unknown
  readonly error?: string
}

/** Starts `NAME-program.ts` of this folder. */
export async function startProgram(name: string, ...args: readonly string[]): Promise<Program> {
  const path = join(import.meta.dirname, `${name}-program.ts`)
  const child = fork(path, args, { execArgv: ['--conditions=@headrace/source'], serialization: 'advanced' })
  const waiting = new Map<number, (answer: Answer) => void>()
  let lastId = 0
  child.on('message', (answer: Answer) => {
    waiting.get(answer.id)?.(answer)
    waiting.delete(answer.id)
  })
  child.once('exit', () => {
    for (const [id, answered] of waiting) answered({ id, error: `${path} has ended.` })
  })
  const killAtExit = () => child.kill('SIGKILL')
  process.once('exit', killAtExit)
  return {
    call: <T>(method: string, params?: unknown) =>
      new Promise<T>((resolve, reject) => {
        const id = ++lastId
        waiting.set(id, ({ result, error }) => (error === undefined ? resolve(result as T) : reject(new Error(error))))
        child.send({ id, method, params } satisfies Call, (error) => {
          if (error) reject(error)
        })
      }),
    async [Symbol.asyncDispose]() {
      process.off('exit', killAtExit)
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

/** Answers the calls of the parent process. `usage` is always available. */
export function serveCalls(methods: Readonly<Record<string, (params: never) => unknown>>): void {
  const all: Readonly<Record<string, (params: never) => unknown>> = { ...methods, usage }
  process.on('message', async ({ id, method, params }: Call) => {
    try {
      process.send!({ id, result: await all[method]!(params as never) } satisfies Answer)
    } catch (error) {
      process.send!({ id, error: (error as Error).stack ?? String(error) } satisfies Answer)
    }
  })
}

function usage(): Usage {
  const { user, system } = process.cpuUsage()
  return { cpuMs: (user + system) / 1000, memory: process.memoryUsage().rss }
}
