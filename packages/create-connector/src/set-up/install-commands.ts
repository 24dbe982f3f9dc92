import type { ProjectFile } from '../project/project-file.ts'
import type { PackageManager } from './package-manager.ts'

/** Commands that install from the lock file, on a machine that may have only Node and npm. */
export interface InstallCommands {
  readonly everything: string
  readonly production: string
}

/** Without a version: the newest one, or for Yarn that of `packageManager` in package.json. */
export function installCommands(packageManager: PackageManager, version: string | undefined): InstallCommands {
  const program = version === undefined ? packageManager : `${packageManager}@${version}`
  switch (packageManager) {
    case 'npm':
      return { everything: 'npm ci', production: 'npm ci --omit=dev' }
    case 'pnpm': {
      const install = `npm install --global ${program} && pnpm install --frozen-lockfile`
      return { everything: install, production: `${install} --prod` }
    }
    case 'yarn':
      if (isClassicYarn(version)) {
        const install = 'corepack enable && yarn install --frozen-lockfile'
        return { everything: install, production: `${install} --production` }
      }
      return {
        everything: 'corepack enable && yarn install --immutable',
        production: 'corepack enable && yarn workspaces focus --production',
      }
    case 'bun': {
      const install = `npm install --global ${program} && bun install --frozen-lockfile`
      return { everything: install, production: `${install} --production` }
    }
  }
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
