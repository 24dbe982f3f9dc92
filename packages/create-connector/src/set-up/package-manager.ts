import { UserError } from '@headrace/queue'
import { execa } from 'execa'

export const packageManagers = ['npm', 'pnpm', 'yarn', 'bun'] as const

export type PackageManager = (typeof packageManagers)[number]

/**
 * The package manager that was asked for, or else the one that started this program, or else npm.
 *
 * @param userAgent - The variable `npm_config_user_agent`, which every package manager sets.
 * @throws {UserError} `unknown_package_manager`
 */
export function choosePackageManager(asked: string | undefined, userAgent: string | undefined): PackageManager {
  const caller = userAgent?.split('/', 1)[0]
  if (asked === undefined) return isPackageManager(caller) ? caller : 'npm'
  if (isPackageManager(asked)) return asked
  throw new UserError(
    'unknown_package_manager',
    `"${asked}" is no package manager that is known here. --package-manager takes ${packageManagers.join(', ')}.`,
  )
}

function isPackageManager(name: string | undefined): name is PackageManager {
  return packageManagers.includes(name as PackageManager)
}

/**
 * The version of a package manager: of the one that started this program, or else of the one on this machine, if there is
 * one.
 */
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

/** `package.json` with the package manager of the project, which corepack then starts. */
export function withPackageManager(packageJson: string, packageManager: PackageManager, version: string): string {
  const { name, version: own, ...rest } = JSON.parse(packageJson) as Record<string, unknown>
  const fields = { name, version: own, packageManager: `${packageManager}@${version}`, ...rest }
  return `${JSON.stringify(fields, undefined, 2)}\n`
}
