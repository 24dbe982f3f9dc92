import { relative } from 'node:path'
import type { Problem } from '@headrace/catalog'

/**
 * A problem as a workflow command of GitHub Actions, which shows it at its place in the change.
 *
 * @param workspace - The folder that GitHub's file names begin in.
 */
export function formatAnnotation(
  { severity, code, file, line, column, message }: Problem,
  workspace: string = process.cwd(),
): string {
  const properties = { file: relative(workspace, file), line, col: column, title: code }
  const list = Object.entries(properties).map(([name, value]) => `${name}=${escapeProperty(String(value))}`)
  return `::${severity} ${list.join(',')}::${escapeData(message)}\n`
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
