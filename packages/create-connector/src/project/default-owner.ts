import { execFile } from 'node:child_process'
import { userInfo } from 'node:os'
import { promisify } from 'node:util'
import { ownerOf } from './names.ts'

/**
 * Who owns the topics of a package of this name by default: its scope, else the user, by the name that git has for them or
 * that of their account. So two users of one queue have different topics.
 */
export async function defaultOwner(name: string): Promise<string> {
  const [, scope] = /^@([^/]*)\//.exec(name) ?? []
  return ownerOf(scope) ?? ownerOf(await gitUser()) ?? ownerOf(accountName()) ?? 'me'
}

/** `undefined` where there is no git, or it has no name. */
async function gitUser(): Promise<string | undefined> {
  const found = await promisify(execFile)('git', ['config', '--get', 'user.name']).catch(() => undefined)
  return found?.stdout
}

/** `undefined` in a container whose user has no account. */
function accountName(): string | undefined {
  try {
    return userInfo().username
  } catch {
    return undefined
  }
}
