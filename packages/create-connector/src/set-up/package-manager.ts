import { UserError } from '@headrace/queue'
import { execa } from 'execa'
import type { ProjectFile } from '../project/write-project.ts'

export const packageManagers = ['npm', 'pnpm', 'yarn', 'bun'] as const

export type PackageManager = (typeof packageManagers)[number]

export function choosePackageManager(given: string | undefined, userAgent: string | undefined): PackageManager {
  const caller = userAgent?.split('/', 1)[0]
  if (given === undefined) return isPackageManager(caller) ? caller : 'npm'
  if (isPackageManager(given)) return given
  throw new UserError(
    'unknown_package_manager',
    `"${given}" is not a supported package manager. --package-manager must be one of ${packageManagers.join(', ')}.`,
  )
}

function isPackageManager(name: string | undefined): name is PackageManager {
  return packageManagers.includes(name as PackageManager)
}

export async function findVersion(
  packageManager: PackageManager,
  userAgent: string | undefined,
): Promise<string | undefined> {
  const [, caller, version] = /^(\w+)\/(\S+)/.exec(userAgent ?? '') ?? []
  if (caller === packageManager && isVersion(version)) return version
  const { stdout } = await execa(packageManager, ['--version'], { stdin: 'ignore', timeout: 10_000, reject: false })
  const printed = stdout?.trim()
  return isVersion(printed) ? printed : undefined
}

function isVersion(text: string | undefined): text is string {
  return /^\d+\.\d+\.\d+[\w.+-]*$/.test(text ?? '')
}

export function withPackageManager(packageJson: string, packageManager: PackageManager, version: string): string {
  const { name, version: own, ...rest } = JSON.parse(packageJson) as Record<string, unknown>
  const fields = { name, version: own, packageManager: `${packageManager}@${version}`, ...rest }
  return `${JSON.stringify(fields, undefined, 2)}\n`
}

/** Commands for a machine that may have only Node and npm. Without a version: the newest one. */
export function installCommands(
  packageManager: PackageManager,
  version: string | undefined,
): { readonly everything: string; readonly production: string } {
  if (packageManager === 'npm') return { everything: 'npm ci', production: 'npm ci --omit=dev' }
  if (packageManager === 'yarn' && !isClassicYarn(version))
    return {
      everything: 'corepack enable && yarn install --immutable',
      production: 'corepack enable && yarn workspaces focus --production',
    }
  const program = version === undefined ? packageManager : `${packageManager}@${version}`
  const prepare = packageManager === 'yarn' ? 'corepack enable' : `npm install --global ${program}`
  const install = `${prepare} && ${packageManager} install --frozen-lockfile`
  return { everything: install, production: `${install} ${packageManager === 'pnpm' ? '--prod' : '--production'}` }
}

export function packageManagerFiles(packageManager: PackageManager, version: string | undefined): ProjectFile[] {
  if (packageManager !== 'yarn' || isClassicYarn(version)) return []
  return [
    // TypeScript 7 does not support Plug'n'Play, and Vite advises against it.
    { path: '.yarnrc.yml', content: 'nodeLinker: node-modules\n' },
    // Without a lock file Yarn treats the folder as a part of a project in a parent folder.
    { path: 'yarn.lock', content: '' },
    { path: '.yarn/.gitignore', content: 'install-state.gz\n' },
  ]
}

/** Yarn 1 has neither the settings nor the commands of later versions. */
function isClassicYarn(version: string | undefined): boolean {
  return version?.startsWith('1.') ?? false
}
