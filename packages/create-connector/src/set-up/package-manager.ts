import { UserError } from '@headrace/queue'

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
