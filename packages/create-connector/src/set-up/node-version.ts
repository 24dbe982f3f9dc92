import { UserError } from '@headrace/queue'
import type { PackageManager } from './package-manager.ts'

export const oldestNode = '22.22'

export const bundledNode = { version: '24.21.0', megabytes: 120 }

/** The Node that runs the package manager. This program may run on another one. */
export function machineNode(userAgent: string | undefined): string {
  return /(?:^| )node\/v(\d+\.\d+\.\d+)/.exec(userAgent ?? '')?.[1] ?? process.versions.node
}

/** Throws `node_too_old` if the package manager cannot install Node. */
export function needsOwnNode(node: string, packageManager: PackageManager): boolean {
  if (node.localeCompare(oldestNode, 'en', { numeric: true }) >= 0) return false
  if (packageManager === 'npm') return true
  throw new UserError(
    'node_too_old',
    `A project needs Node ${oldestNode} or newer, and this machine has Node ${node}. Nothing was written. Install a newer Node from https://nodejs.org, or use --package-manager npm, which installs a newer Node into the project.`,
  )
}

export function addNode(text: string): string {
  const manifest = JSON.parse(text) as { devDependencies?: Record<string, string> }
  const devDependencies = Object.entries({ ...manifest.devDependencies, node: bundledNode.version })
  const sorted = Object.fromEntries(devDependencies.sort(([left], [right]) => (left < right ? -1 : 1)))
  // npm runs the install script of `node` only with this permission.
  return `${JSON.stringify({ ...manifest, devDependencies: sorted, allowScripts: { node: true } }, undefined, 2)}\n`
}
