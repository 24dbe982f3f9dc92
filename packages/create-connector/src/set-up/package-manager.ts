import { UserError } from '@headrace/queue'
import { execa } from 'execa'

export const packageManagers = ['npm', 'pnpm', 'yarn', 'bun'] as const

export type PackageManager = (typeof packageManagers)[number]

/** The user agent names the package manager that started this program. */
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

/** For corepack. */
export function withPackageManager(packageJson: string, packageManager: PackageManager, version: string): string {
  const { name, version: own, ...rest } = JSON.parse(packageJson) as Record<string, unknown>
  const fields = { name, version: own, packageManager: `${packageManager}@${version}`, ...rest }
  return `${JSON.stringify(fields, undefined, 2)}\n`
}
