import { execFile } from 'node:child_process'
import { mkdtemp, realpath, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import {
  type Comparison,
  compareProjects,
  comparePublished,
  formatProblem,
  loadProject,
  type Problem,
  type Project,
  readRegistry,
} from '@headrace/catalog'
import { UserError } from '@headrace/queue'
import type { Environment } from '../environment.ts'
import { openExistingQueue, type QueueContext, type QueueOptions } from '../options/queue-options.ts'

export interface CompareAgainstOptions extends Pick<QueueOptions, 'kafkaConfig'> {
  /** A git ref, a folder, a manifest.yaml, or the URL of a queue. */
  readonly against: string
}

export interface AgainstResult extends Comparison {
  /** The reason if nothing was compared. */
  readonly nothing?: string
}

/** A path that exists wins over a git ref of the same name. */
export async function compareAgainst(
  project: Project,
  options: CompareAgainstOptions,
  context: QueueContext,
): Promise<AgainstResult> {
  const { against } = options
  // From an unset variable in a script. It would compare the current folder with itself.
  if (against === '') throw new UserError('invalid_against', '--against is empty. Give a git ref, a folder or a queue.')
  if (/^(embedded|kafka):/.test(against)) return compareWithQueue(project, { ...options, queue: against }, context)
  const isPath = await stat(resolve(against)).catch(() => undefined)
  const before = isPath
    ? await loadProjectIn(resolve(against))
    : await loadProjectAtRef(project, against, context.environment)
  if (!before) return { ...none, nothing: 'there was no manifest.yaml then' }
  if (before.lineage !== project.lineage)
    return {
      ...none,
      nothing: `it belongs to ${before.lineage}, and this project to ${project.lineage}, which has other topics`,
    }
  return compareProjects(before, project)
}

const none: Comparison = { topics: [], problems: [] }

async function compareWithQueue(
  project: Project,
  options: QueueOptions,
  context: QueueContext,
): Promise<AgainstResult> {
  await using queue = await openExistingQueue(options, context)
  const registrations = [...(await readRegistry(queue)).values()]
  const published = registrations.filter(({ lineage }) => lineage === project.lineage)
  const comparison = comparePublished(published, project)
  return published.length > 0 ? comparison : { ...comparison, nothing: `${project.lineage} has no topics there yet` }
}

/**
 * Loads a project as of a commit, without a change of the repository. If its folder had no manifest.yaml then, uses the
 * folder that had the same topics; `undefined` if none had.
 */
async function loadProjectAtRef(
  { dir, lineage }: Project,
  ref: string,
  environment: Environment,
): Promise<Project | undefined> {
  const git = await openRepository(dir, ref, environment)
  const commit = await git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`]).catch(() => {
    throw new UserError(
      'invalid_against',
      `--against names ${JSON.stringify(ref)}, which is neither a file nor a commit, branch or tag of the repository of ` +
        `${dir}. Check its spelling with \`git rev-parse ${ref}\`. If the clone is shallow, fetch the ref (in GitHub ` +
        'Actions: fetch-depth: 0).',
    )
  })
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'headrace-against-')))
  try {
    const root = join(folder, 'files')
    const prefix = (await git(['rev-parse', '--show-prefix'])).trim()
    const files = await checkOut(git, commit.trim(), folder)
    const { project, problems } = await loadProject(join(root, prefix))
    if (problems.some(({ code }) => code === 'manifest_not_found')) return await loadMoved(root, files, lineage)
    if (project) return project
    const inRef = (file: string): string => (file.startsWith(root) ? `${ref}:${file.slice(root.length + 1)}` : file)
    const shown = problems.map((problem) => ({ ...problem, file: inRef(problem.file) }))
    throw invalidManifest(ref, shown)
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function loadMoved(root: string, files: readonly string[], lineage: string): Promise<Project | undefined> {
  for (const file of files.filter((name) => basename(name) === 'manifest.yaml')) {
    const { project } = await loadProject(join(root, dirname(file)))
    if (project?.lineage === lineage) return project
  }
  return undefined
}

/** Writes every manifest and .proto file: a manifest may name files outside its folder. */
async function checkOut(git: Git, commit: string, folder: string): Promise<string[]> {
  const ownIndex = { GIT_INDEX_FILE: join(folder, 'index') }
  await git(['read-tree', commit], ownIndex)
  const patterns = [':(top)*.proto', ':(top)manifest.yaml', ':(top)*/manifest.yaml']
  const files = await git(['ls-files', '-z', '--full-name', '--', ...patterns], ownIndex)
  const top = (await git(['rev-parse', '--show-toplevel'])).trim()
  const names = files.split('\0').filter(Boolean)
  for (let at = 0; at < names.length; at += 500)
    await git(
      ['-C', top, 'checkout-index', `--prefix=${join(folder, 'files')}/`, '--', ...names.slice(at, at + 500)],
      ownIndex,
    )
  return names
}

type Git = (args: readonly string[], variables?: Readonly<Record<string, string>>) => Promise<string>

async function openRepository(dir: string, ref: string, { variables }: Environment): Promise<Git> {
  const run = promisify(execFile)
  const git: Git = async (args, more) => {
    const env = { ...variables, ...more }
    const { stdout } = await run('git', ['-C', dir, ...args], { maxBuffer: maxListing, env })
    return stdout
  }
  await git(['rev-parse', '--git-dir']).catch((cause: NodeJS.ErrnoException & { stderr?: string }) => {
    const why =
      cause.code === 'ENOENT'
        ? 'git, which could know it as a ref, is not installed. Install git'
        : `git cannot look it up as a ref in ${dir} (${cause.stderr?.trim()}). Run the command in a repository`
    throw new UserError(
      'invalid_against',
      `--against names ${JSON.stringify(ref)}, which is no file, and ${why}, or name a folder or a queue.`,
      { cause },
    )
  })
  return git
}

const maxListing = 256 << 20

async function loadProjectIn(path: string): Promise<Project> {
  const isFile = (await stat(path)).isFile()
  if (isFile && basename(path) !== 'manifest.yaml')
    throw new UserError(
      'invalid_against',
      `--against names the file ${path}. It must be a manifest.yaml in a folder with its .proto files, such a folder, ` +
        'a git ref, or a queue (embedded:FOLDER, kafka://HOST:PORT).',
    )
  const { project, problems } = await loadProject(isFile ? dirname(path) : path)
  if (project) return project
  throw invalidManifest(path, problems)
}

function invalidManifest(name: string, problems: readonly Problem[]): UserError {
  const errors = problems.filter(({ severity }) => severity === 'error')
  return new UserError(
    'invalid_against',
    `--against names ${name}, whose manifest has mistakes. Name a version without mistakes.\n` +
      errors.map((problem) => `  - ${formatProblem(problem)}`).join('\n'),
  )
}
