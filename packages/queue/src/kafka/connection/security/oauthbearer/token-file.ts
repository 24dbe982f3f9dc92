import { readFile } from 'node:fs/promises'
import { parseAccessToken } from './access-token.ts'
import { type TokenOrigin, tokenUnavailable } from './token-source.ts'

/** A file that another program renews, such as the token of a service account in Kubernetes. */
export function tokenFile(path: string): TokenOrigin {
  return {
    description: path,
    async fetch() {
      try {
        return parseAccessToken(await readFile(path, 'utf8'))
      } catch (error) {
        const problem = error instanceof SyntaxError ? `it has ${error.message}` : (error as Error).message
        throw tokenUnavailable(path, problem, error)
      }
    },
  }
}
