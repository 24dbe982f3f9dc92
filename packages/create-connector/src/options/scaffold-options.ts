export interface ScaffoldOptions {
  readonly template?: string
  readonly name?: string
  readonly owner?: string
  readonly packageManager?: string
  readonly abi?: string
  readonly events?: string
  readonly contract?: string
  readonly address?: string
  /** `false` with `--no-install`. */
  readonly install: boolean
  readonly yes?: true
  readonly json?: true
}
