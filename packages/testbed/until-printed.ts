import type { Readable } from 'node:stream'

/** A process of execa with `all: true`, `buffer: false` and `reject: false`. */
interface StartingProgram extends PromiseLike<unknown> {
  readonly all: Readable
}

/**
 * Resolves once the output so far matches a pattern. Later output is read and dropped, because a full pipe would block
 * the program.
 *
 * @throws {Error} the program has ended, or `deadline` is aborted; with the output.
 */
export async function untilPrinted(
  name: string,
  program: StartingProgram,
  pattern: RegExp,
  deadline: AbortSignal,
): Promise<RegExpExecArray> {
  const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>()
  let output = ''
  const fail = () => reject(new Error(`${name} did not start:\n${output}`))
  void program.then(fail)
  deadline.addEventListener('abort', fail)
  if (deadline.aborted) fail()
  program.all.on('data', (chunk) => {
    output += chunk
    const match = pattern.exec(output)
    if (match) resolve(match)
  })
  return promise.finally(() => program.all.removeAllListeners('data').resume())
}
