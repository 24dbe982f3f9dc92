import { environment } from '../../packages/testbed/environment.ts'

/** The result of one check. */
export interface CheckResult {
  /** A package, or a version of Node. */
  readonly subject: string
  readonly check: string
  readonly problem?: string
  readonly skipped?: string
  /** Why a version refuses what another one has written, which is not a failure if nothing is lost. */
  readonly refused?: string
}

/** Runs a check, which fails if it throws or returns a problem. */
export async function makeCheck(
  subject: string,
  check: string,
  run: () => Promise<string | undefined>,
): Promise<CheckResult> {
  try {
    const problem = await run()
    return { subject, check, ...(problem && { problem }) }
  } catch (error) {
    return { subject, check, problem: (error as Error).message }
  }
}

/** Runs checks in order, until one fails. */
export async function makeChecks(
  subject: string,
  checks: Readonly<Record<string, () => Promise<string | undefined>>>,
): Promise<CheckResult[]> {
  const results: CheckResult[] = []
  for (const [check, run] of Object.entries(checks)) {
    const result = await makeCheck(subject, check, run)
    results.push(result)
    if (result.problem) break
  }
  return results
}

/** Prints tables and counts, and sets the exit code. On CI a skipped check is a failure. */
export function report(tables: readonly CheckResult[][]): void {
  const results = tables.flat()
  for (const { subject, check, problem } of results) if (problem) console.log(`${subject}, ${check}:\n${problem}\n`)
  for (const table of tables) console.log(`${formatTable(table)}\n`)
  const failed = results.filter(({ problem }) => problem)
  const skipped = results.filter((result) => result.skipped)
  for (const { subject, check, refused } of results)
    if (refused) console.log(`Refused: ${subject}, ${check}: ${refused}`)
  for (const { subject, check, skipped: reason } of skipped)
    console.log(`Not checked: ${subject}, ${check}: ${reason}.`)
  console.log(
    `${results.length - failed.length - skipped.length} ok, ${failed.length} failed, ${skipped.length} skipped`,
  )
  process.exitCode = failed.length > 0 || (environment.ci && skipped.length > 0) ? 1 : 0
}

function formatTable(results: readonly CheckResult[]): string {
  const checks = [...new Set(results.map(({ check }) => check))]
  const subjects = [...new Set(results.map(({ subject }) => subject))]
  const cell = (subject: string, check: string) => {
    const result = results.find((one) => one.subject === subject && one.check === check)
    if (!result) return ''
    if (result.skipped) return 'skipped'
    if (result.refused) return 'refused'
    return result.problem ? 'FAILED' : 'ok'
  }
  const rows = [
    ['', ...checks],
    ...subjects.map((subject) => [subject, ...checks.map((check) => cell(subject, check))]),
  ]
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows
    .map((row) =>
      row
        .map((text, column) => text.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
