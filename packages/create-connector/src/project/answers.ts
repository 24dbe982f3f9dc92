import type { PackageManager } from '../set-up/package-manager.ts'

export interface Answers {
  /** The folder to make, absolute. */
  readonly dir: string
  readonly template: string
  /** The npm package: `@acme/quotes`. */
  readonly name: string
  /** The package in the manifest, from the name: `quotes`. */
  readonly package: string
  readonly owner: string
  readonly packageManager: PackageManager
  /** `undefined`: unknown. */
  readonly packageManagerVersion?: string | undefined
  /** The project gets Node as a dev dependency, because that of the machine is too old. */
  readonly ownNode?: boolean
  readonly contract?: ContractAnswers
}

/** The contract and its events as they were given, unchecked. `abi/` checks them and sets the defaults. */
export interface ContractAnswers {
  readonly abi?: string
  readonly events?: readonly string[]
  /** Name of the contract in the names of topics. */
  readonly contract?: string
  readonly address?: string
}
