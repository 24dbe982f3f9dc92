import { setTimeout as pause } from 'node:timers/promises'
import { execa } from 'execa'

/** `docker`, or a program with the same arguments, such as `podman`. */
export interface Engine {
  readonly program: string
  readonly image: string
}

export interface ContainerOptions {
  readonly args: readonly string[]
  readonly entrypoint?: string
  readonly env?: Readonly<Record<string, string>>
  /** `SOURCE:TARGET[:ro]`. */
  readonly volumes?: readonly string[]
}

export interface Container {
  /** Runs a command in it, and returns what it prints. */
  exec(...command: readonly string[]): Promise<string>
  /** Waits until the URL answers with success. Throws with the log of the container if it ends. */
  untilHealthy(url: string): Promise<void>
  /** Sends SIGTERM, and returns the exit code: 137 if it had to be killed. */
  stop(): Promise<number>
  /** Waits for the end, and returns the exit code. */
  ended(): Promise<number>
  log(): Promise<string>
  remove(): Promise<void>
}

/** As the Compose file and the chart start it: nothing can be written but volumes, and no privilege can be gained. */
const limits = ['--read-only', '--cap-drop=ALL', '--security-opt=no-new-privileges', '--network=host']

export async function startContainer(engine: Engine, options: ContainerOptions): Promise<Container> {
  const { args, entrypoint, env = {}, volumes = [] } = options
  const id = await call(engine, [
    ...['run', '--detach', ...limits],
    ...(entrypoint === undefined ? [] : ['--entrypoint', entrypoint]),
    ...Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
    ...volumes.flatMap((volume) => ['--volume', volume]),
    ...[engine.image, ...args],
  ])
  const state = (field: string) => call(engine, ['inspect', '--format', `{{.State.${field}}}`, id])
  const log = async () => (await execa(engine.program, ['logs', id], { all: true })).all

  return {
    exec: (...command) => call(engine, ['exec', id, ...command]),
    async untilHealthy(url) {
      for (;;) {
        const answer = await fetch(url).catch(() => undefined)
        if (answer?.ok) return
        if ((await state('Running')) !== 'true') throw new Error(`The container has ended:\n${await log()}`)
        await pause(500)
      }
    },
    async stop() {
      await call(engine, ['stop', '--time', '30', id])
      return Number(await state('ExitCode'))
    },
    ended: async () => Number(await call(engine, ['wait', id])),
    log,
    remove: async () => {
      await call(engine, ['rm', '--force', '--volumes', id])
    },
  }
}

export async function call({ program }: Engine, args: readonly string[]): Promise<string> {
  const { stdout } = await execa(program, args)
  return stdout.trim()
}
