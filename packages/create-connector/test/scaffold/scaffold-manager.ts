import { mkdir, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { typeToEnd } from '../../../testbed/registry/user-command.ts'

export interface ScaffoldManager {
  readonly title: string
  /** Its npm package; `undefined`: it is part of Node. */
  readonly installedFrom?: string
  /** The command up to its first argument. */
  readonly create: string
  /** `packageManager` in package.json. */
  readonly recorded: RegExp
  readonly variables?: Readonly<Record<string, string>>
}

const yarn4 = '@yarnpkg/cli-dist@4.18.1'

export const npx: ScaffoldManager = { title: 'npx', create: 'npx --yes create-connector@latest', recorded: /^npm@\d/ }

/** `npm create` uses the arguments before `--` itself. */
export const npm: ScaffoldManager = {
  title: 'npm',
  create: 'npm create --yes connector@latest --',
  recorded: /^npm@\d/,
}

export const pnpm: ScaffoldManager = {
  title: 'pnpm',
  installedFrom: 'pnpm@12.21.0',
  create: 'pnpm create connector',
  recorded: /^pnpm@12\.21\.0$/,
}

/** Runs `create-connector` from zip files, without `node_modules`. */
export const yarnPnp: ScaffoldManager = {
  title: 'Yarn 4 under PnP',
  installedFrom: yarn4,
  create: 'yarn dlx create-connector',
  recorded: /^yarn@4\.18\.1$/,
}

export const yarnNodeModules: ScaffoldManager = {
  title: 'Yarn 4 with node_modules',
  installedFrom: yarn4,
  create: 'yarn create connector',
  recorded: /^yarn@4\.18\.1$/,
  variables: { YARN_NODE_LINKER: 'node-modules' },
}

export const yarn1: ScaffoldManager = {
  title: 'Yarn 1',
  installedFrom: 'yarn@1.22.22',
  create: 'yarn create connector',
  recorded: /^yarn@1\.22\.22$/,
}

export const bun: ScaffoldManager = {
  title: 'bun',
  installedFrom: 'bun@1.4.5',
  create: 'bun create connector',
  recorded: /^bun@1\.4\.5$/,
}

/** Installs a package manager into a folder with a home of its own. Returns the variables of its users. */
export async function installManager(
  { installedFrom, variables }: ScaffoldManager,
  folder: string,
  env: Record<string, string>,
): Promise<Record<string, string>> {
  if (installedFrom === undefined) return env
  const home = join(folder, 'home')
  await mkdir(home, { recursive: true })
  const registry = env.npm_config_registry!
  // All package managers but Yarn 4 read this file.
  await writeFile(join(home, '.npmrc'), `registry=${registry}\n`)
  await typeToEnd(`npm install --no-save --prefix '${folder}' ${installedFrom}`, folder, env)
  return {
    ...env,
    PATH: [join(folder, 'node_modules/.bin'), env.PATH].join(delimiter),
    HOME: home,
    XDG_CACHE_HOME: join(home, '.cache'),
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local/share'),
    XDG_STATE_HOME: join(home, '.local/state'),
    // Yarn 1 puts the command for `yarn create` there.
    PREFIX: join(home, '.local'),
    // Yarn 1 sets `npm_config_registry` to its own default for the processes that it starts.
    YARN_REGISTRY: registry,
    YARN_NPM_REGISTRY_SERVER: registry,
    YARN_UNSAFE_HTTP_WHITELIST: '127.0.0.1',
    YARN_ENABLE_TELEMETRY: 'false',
    // The packages were just published, and some package managers refuse new ones by default.
    YARN_NPM_MINIMAL_AGE_GATE: '0',
    pnpm_config_minimum_release_age: '0',
    // Otherwise pnpm looks up itself for every platform, and sometimes fails if the registry lacks one.
    pnpm_config_pm_on_fail: 'ignore',
    ...variables,
  }
}
