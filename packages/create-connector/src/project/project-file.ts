/** A file of a project that is yet to be written. */
export interface ProjectFile {
  /** Relative to the project's folder, with `/`. */
  readonly path: string
  readonly content: string | Uint8Array
}
