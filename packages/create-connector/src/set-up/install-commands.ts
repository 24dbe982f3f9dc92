import type { ProjectFile } from '../project/project-file.ts'
import type { PackageManager } from './package-manager.ts'

/** How a package manager installs exactly what its lock file says, on a machine that may have only Node and npm. */
export interface InstallCommands {
  readonly everything: string
  /** Without what only checks and tests need. */
  readonly production: string
}

export const installCommands: Readonly<Record<PackageManager, InstallCommands>> = {
  npm: { everything: 'npm ci', production: 'npm ci --omit=dev' },
  pnpm: {
    everything: 'npm install --global pnpm && pnpm install --frozen-lockfile',
    production: 'npm install --global pnpm && pnpm install --frozen-lockfile --prod',
  },
  yarn: {
    everything: 'corepack enable && yarn install --frozen-lockfile',
    production: 'corepack enable && yarn install --frozen-lockfile',
  },
  bun: {
    everything: 'npm install --global bun && bun install --frozen-lockfile',
    production: 'npm install --global bun && bun install --frozen-lockfile --production',
  },
}

/** What a package manager needs in a project. */
export function packageManagerFiles(packageManager: PackageManager): ProjectFile[] {
  if (packageManager !== 'yarn') return []
  return [
    // Node runs a connector's TypeScript only from plain folders.
    { path: '.yarnrc.yml', content: 'nodeLinker: node-modules\n' },
    // Without a lock file yarn takes the folder for a part of any project above it.
    { path: 'yarn.lock', content: '' },
    { path: '.yarn/.gitignore', content: 'install-state.gz\n' },
  ]
}
