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

/**
 * A manifest allows more: here an owner begins with a letter, because YAML reads `404` and `true` as something else.
 *
 * @throws {UserError} `invalid_owner`
 */
export function checkOwner(owner: string): string {
  if (isPlainText(owner)) return owner
  const nearest = ownerOf(owner)
  throw new UserError(
    'invalid_owner',
    `"${owner}" can be no owner of topics. --owner takes letters A to Z and a to z, digits, "-" and "_", beginning with a ` +
      `letter, and none of true, false and null${nearest === undefined ? '' : `, such as "${nearest}"`}.`,
  )
}

/** What a manifest calls the package of this name: `@acme/2.quotes` is `quotes`. */
export function manifestPackage(name: string): string {
  return identifier(name.replace(/^@[^/]*\//, '')) ?? 'connector'
}

/** The owner that a text makes: `Ada Lovelace` is `ada-lovelace`. `undefined` where nothing of it can be kept. */
export function ownerOf(text = ''): string | undefined {
  return identifier(text.normalize('NFKD').replaceAll(/\p{Mark}/gu, ''))
}

function identifier(text: string): string | undefined {
  const made = text
    .trim()
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, '-')
    .replaceAll(/^[^a-z]+|-+$/g, '')
  return isPlainText(made) ? made : undefined
}

function isPlainText(name: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_-]*$/.test(name) && !/^(true|false|null)$/i.test(name)
}
