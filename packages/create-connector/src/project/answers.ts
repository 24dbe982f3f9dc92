import type { PackageManager } from '../set-up/package-manager.ts'

export interface Answers {
  /** Absolute. */
  readonly dir: string
  readonly template: string
  /** The npm package: `@acme/quotes`. */
  readonly name: string
  /** The package in the manifest: `quotes`. */
  readonly package: string
  readonly owner: string
  readonly packageManager: PackageManager
  readonly packageManagerVersion?: string | undefined
  /** The project gets Node as a dev dependency, because that of the machine is too old. */
  readonly ownNode?: boolean
  readonly contract?: ContractAnswers
}

/** As given, unchecked. */
export interface ContractAnswers {
  readonly abi?: string | undefined
  /** Separated by commas. */
  readonly events?: string | undefined
  readonly contract?: string | undefined
  readonly address?: string | undefined
}
