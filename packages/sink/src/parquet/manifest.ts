/**
 * The content of a folder at one time, as JSON in `_manifest/<generation>.json`. The one with the highest generation is
 * valid. A file that it does not list is not.
 */
export interface Manifest {
  readonly format: 1
  /** One more than that of the manifest before. */
  readonly generation: number
  readonly topic: string
  /** The name of the sink. */
  readonly sink: string
  /** The place after the last row. `null`: there was nothing to read. */
  readonly cursor: string | null
  /** The names of the columns, by number of the field. */
  readonly columns: Readonly<Record<string, string>>
  /** In order. */
  readonly files: readonly ManifestFile[]
}

export interface ManifestFile {
  readonly name: string
  readonly rows: number
  readonly bytes: number
  /** Seqs of the first and the last row. */
  readonly partitions: Readonly<Record<string, { readonly first: string; readonly last: string }>>
}

export const manifestFolder = '_manifest'

export const manifestName: (generation: number) => string = (generation) => `${digits(generation)}.json`
export const partName: (generation: number) => string = (generation) => `part-${digits(generation)}.parquet`

/** Readers of Parquet ignore it. @param of - Distinguishes runs that write the same generation. */
export const temporaryName: (generation: number, of?: string) => string = (generation, of) =>
  of === undefined ? `.${digits(generation)}.tmp` : `.${digits(generation)}.${of}.tmp`

/** As large as file names need to be to sort by number. */
function digits(generation: number): string {
  return `${generation}`.padStart(12, '0')
}

export function isManifestName(name: string): boolean {
  return /^\d{12}\.json$/.test(name)
}

/** The generation of a file that may be invalid. `undefined`: the file was not made by a sink. */
export function generationOf(name: string): number | undefined {
  const found = /^(?:part-(\d{12})\.parquet|\.(\d{12})(?:\.[\w-]+)?\.tmp)$/.exec(name)
  return found ? Number(found[1] ?? found[2]) : undefined
}
