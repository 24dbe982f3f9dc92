import type { PackageManager } from '../set-up/package-manager.ts'

/** All that a project is made from, checked. */
export interface Answers {
  /** The folder to make, absolute. */
  readonly dir: string
  readonly template: string
  /** Of the npm package: `@acme/quotes`. */
  readonly name: string
  /** Of the manifest, made from the name: `quotes`. */
  readonly package: string
  readonly owner: string
  readonly packageManager: PackageManager
  /** Left out where it is not known. */
  readonly packageManagerVersion?: string | undefined
  /** The Node of the machine is too old: the project gets one as a dev dependency. */
  readonly ownNode?: boolean
  /** For the template `evm-events` alone. */
  readonly contract?: ContractAnswers
}

/**
 * Which events of which contract, as they were given. What is left out is for `abi/` to fill in, and all of it for `abi/`
 * to check.
 */
export interface ContractAnswers {
  /** Path of the ABI file. */
  readonly abi?: string
  readonly events?: readonly string[]
  /** How the contract is called in the names of topics. */
  readonly contract?: string
  readonly address?: string
}
