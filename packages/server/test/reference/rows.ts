import type { JsonSchema } from '@headrace/catalog'
import type { ParameterDefinition } from '../../src/api-definition/parameter.ts'

/** Expected rows of a reference page. Cells are without backticks, as `ReferencePage.rows` returns them. */
export type Rows = readonly (readonly string[])[]

export function plain(rows: Rows): string[][] {
  return rows.map((row) => row.map((cell) => cell.replaceAll('`', '')))
}

/** Name, description, default. */
export function parameterRows(parameters: Readonly<Record<string, ParameterDefinition>>): Rows {
  return Object.entries(parameters).map(([name, parameter]) => {
    return [name, parameter.description, `${parameter.schema.default ?? ''}`]
  })
}

/** Name and description of each member of an object. */
export function memberRows(schema: JsonSchema): Rows {
  const properties = Object.entries(schema.properties as Record<string, { description?: string }>)
  return properties.map(([name, { description }]) => {
    if (description === undefined) throw new Error(`The schema has no description of ${name}.`)
    return [name, description]
  })
}
