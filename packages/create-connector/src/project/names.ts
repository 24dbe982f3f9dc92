import { execFile } from 'node:child_process'
import { userInfo } from 'node:os'
import { promisify } from 'node:util'
import { UserError } from '@headrace/queue'
import validatePackageName from 'validate-npm-package-name'

export function checkName(name: string): string {
  const { validForNewPackages, errors = [], warnings = [] } = validatePackageName(name)
  if (validForNewPackages) return name
  throw new UserError(
    'invalid_name',
    `"${name}" is not a valid npm package name: ${[...errors, ...warnings].join('; ')}. Give --name a valid one, such as "${nearestName(name)}".`,
  )
}

export function nearestName(text: string): string {
  const name = dashed(text).replace(/^[-_]+/, '')
  return validatePackageName(name).validForNewPackages ? name : 'my-connector'
}

/** Stricter than a manifest: the owner is written into YAML without quotes, where `404` and `true` are no text. */
export function checkOwner(owner: string): string {
  if (isPlainText(owner)) return owner
  const nearest = ownerOf(owner)
  throw new UserError(
    'invalid_owner',
    `"${owner}" is not a valid owner of topics. --owner must be a letter A to Z or a to z, then letters, digits, "-" and ` +
      `"_", and none of true, false and null${nearest === undefined ? '' : `, such as "${nearest}"`}.`,
  )
}

/** `@acme/2.quotes` becomes `quotes`. */
export function manifestPackage(name: string): string {
  return identifier(name.replace(/^@[^/]*\//, '')) ?? 'connector'
}

/** `Ada Lovelace` becomes `ada-lovelace`. `undefined` if nothing of it is allowed. */
export function ownerOf(text = ''): string | undefined {
  return identifier(text.normalize('NFKD').replaceAll(/\p{Mark}/gu, ''))
}

function identifier(text: string): string | undefined {
  const made = dashed(text).replace(/^[^a-z]+/, '')
  return isPlainText(made) ? made : undefined
}

function dashed(text: string): string {
  const lower = text.toLowerCase()
  return lower.replaceAll(/[^a-z0-9_-]+/g, '-').replace(/-+$/, '')
}

function isPlainText(name: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_-]*$/.test(name) && !/^(true|false|null)$/i.test(name)
}

/** So two users of a queue have different topics. */
export async function defaultOwner(name: string): Promise<string> {
  const [, scope] = /^@([^/]*)\//.exec(name) ?? []
  return ownerOf(scope) ?? ownerOf(await gitUser()) ?? ownerOf(accountName()) ?? 'me'
}

async function gitUser(): Promise<string | undefined> {
  const found = await promisify(execFile)('git', ['config', '--get', 'user.name']).catch(() => undefined)
  return found?.stdout
}

/** A user may have no account, as in some containers. */
function accountName(): string | undefined {
  try {
    return userInfo().username
  } catch {
    return undefined
  }
}
