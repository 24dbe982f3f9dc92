/** The change, the schema before and after, and each broken rule with its place. A compatible change breaks none. */
export type SchemaPair = readonly [what: string, before: Protos, after: Protos, ...broken: string[]]

/** The declarations of one file, or of several by name. The package is `acme`, and a topic carries its message M. */
export type Protos = string | Readonly<Record<string, string>>
