import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { execa } from 'execa'

export interface DemoProcess extends AsyncDisposable {
  /** Opens the explorer signed in. */
  readonly link: string
}

/** Starts what `npm start` does. */
export async function startDemo(): Promise<DemoProcess> {
  const child = execa(process.execPath, [join(import.meta.dirname, '../demo/main.ts')], {
    ...{ stdin: 'ignore', stderr: 'inherit', buffer: false, reject: false },
  })
  const stop = async () => {
    child.kill('SIGINT')
    await child
  }
  for await (const line of createInterface({ input: child.stdout })) {
    const link = /^Explorer +(\S+)/.exec(line)?.[1]
    if (link === undefined) continue
    child.stdout.resume()
    return { link, [Symbol.asyncDispose]: stop }
  }
  throw new Error('The demo ended before it printed a link.')
}
