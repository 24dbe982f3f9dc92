import { environment } from './environment.ts'

/** Reports why tests are skipped. On CI, where every test must run, it throws. */
export function reportSkipped(kind: string, reason: string): void {
  if (environment.ci) throw new Error(`The ${kind} tests cannot run: ${reason}.`)
  console.error(`${kind} tests skipped: ${reason}.`)
}

/** The first line of an error, as part of a reason. */
export function firstLine(error: unknown): string {
  return (error as Error).message.split('\n')[0]!
}
