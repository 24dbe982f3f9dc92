import { relative } from 'node:path'
import type { Problem } from '@headrace/catalog'

/**
 * Formats a problem as a workflow command of GitHub Actions, which shows it at its line.
 *
 * @param workspace - Folder that file names are relative to.
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
