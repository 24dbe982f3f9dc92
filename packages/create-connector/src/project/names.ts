import { UserError } from '@headrace/queue'
import validatePackageName from 'validate-npm-package-name'

/** @throws {UserError} `invalid_name`: the registry would not take a package of this name. */
export function checkName(name: string): string {
  const { validForNewPackages, errors = [], warnings = [] } = validatePackageName(name)
  if (validForNewPackages) return name
  throw new UserError(
    'invalid_name',
    `"${name}" can be no npm package: ${[...errors, ...warnings].join('; ')}. --name takes one that can, such as "${nearestName(name)}".`,
  )
}

/** A name that npm takes, as near as possible to a text. */
export function nearestName(text: string): string {
  const name = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, '-')
    .replaceAll(/^[-_]+|-+$/g, '')
  return validatePackageName(name).validForNewPackages ? name : 'my-connector'
}

/** @throws {UserError} `invalid_owner` */
export function checkOwner(owner: string): string {
  if (/^[a-z][a-z0-9_-]*$/.test(owner)) return owner
  throw new UserError(
    'invalid_owner',
    `"${owner}" can be no owner of topics: --owner takes a letter and then letters, digits, "-" and "_", all of them small.`,
  )
}

/** What a manifest calls the package of this name: `@acme/2.quotes` is `quotes`. */
export function manifestPackage(name: string): string {
  return identifier(name.replace(/^@[^/]*\//, '')) || 'connector'
}

/** Who owns the topics of a package of this name: its scope, if it has one. */
export function defaultOwner(name: string): string {
  const [, scope = ''] = /^@([^/]*)\//.exec(name) ?? []
  return identifier(scope) || 'local'
}

function identifier(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, '-')
    .replace(/^[^a-z]+/, '')
}
