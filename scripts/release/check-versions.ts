import { execa } from 'execa'
import type { Tarball } from '../registry/tarballs.ts'
import { type CheckResult, makeCheck } from './check-table.ts'

/** All packages have one version, and need each other in exactly that one. */
export function checkVersions(tarballs: readonly Tarball[]): Promise<CheckResult> {
  return makeCheck('Versions', 'one for all', async () => {
    const problems = await Promise.all(tarballs.map((tarball) => findProblems(tarball, tarballs)))
    return problems.flat().join('\n') || undefined
  })
}

async function findProblems({ name, version, file }: Tarball, tarballs: readonly Tarball[]): Promise<string[]> {
  const expected = tarballs[0]!.version
  const { stdout } = await execa('tar', ['-xzOf', file, 'package/package.json'])
  const { dependencies = {} } = JSON.parse(stdout) as { dependencies?: Record<string, string> }
  const wrong = tarballs.filter((other) => dependencies[other.name] && dependencies[other.name] !== expected)
  return [
    ...(version === expected ? [] : [`${name} has version ${version}, others ${expected}.`]),
    ...wrong.map((other) => `${name} needs ${other.name} ${dependencies[other.name]}, not ${expected}.`),
  ]
}
