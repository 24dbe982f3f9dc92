import { basename, isAbsolute, relative, resolve, sep } from 'node:path'
import { HeadraceError, UserError } from '@headrace/queue'
import { checkbox, input, select } from '@inquirer/prompts'
import type { Clone } from '../local-packages/local-package.ts'
import type { Answers, ContractAnswers } from '../project/answers.ts'
import { checkName, checkOwner, defaultOwner, manifestPackage, nearestName } from '../project/names.ts'
import { checkFolder } from '../project/write-project.ts'
import type { ScaffoldContext, ScaffoldOptions, Terminal } from '../scaffold-context.ts'
import { machineNode, needsOwnNode } from '../set-up/node-version.ts'
import { choosePackageManager, findVersion, type PackageManager } from '../set-up/package-manager.ts'
import { defaultTemplate, findTemplate, listTemplates, type Template } from '../template/template.ts'

/** From options, which are checked first, from questions on a terminal, or from defaults. */
export async function collectAnswers(
  folder: string | undefined,
  options: ScaffoldOptions,
  { variables, terminal, clone }: ScaffoldContext,
): Promise<{ readonly template: Template; readonly answers: Answers }> {
  const asks = terminal !== undefined && !options.yes
  const questions = asks ? questionsOn(terminal) : noQuestions
  const packageManager = choosePackageManager(options.packageManager, variables.npm_config_user_agent)
  checkPackageManager(packageManager, clone)
  const ownNode = needsOwnNode(machineNode(variables.npm_config_user_agent), packageManager)
  const given = options.template === undefined ? undefined : await findTemplate(options.template)
  if (options.name !== undefined) checkName(options.name)
  if (options.owner !== undefined) checkOwner(options.owner)
  if (given) refuseUnused(given, options)

  const checkDir = async (answer: string) => {
    checkOutsideClone(resolve(answer), clone)
    await checkFolder(resolve(answer))
  }
  const dir = resolve(folder ?? (await questions.text('Folder of the project', 'my-connector', checkDir)))
  await checkDir(dir)
  const template = given ?? (await findTemplate(await askTemplate(questions)))
  refuseUnused(template, options)
  const ownName = asks ? nearestName(basename(dir)) : basename(dir)
  const name = checkName(options.name ?? (await questions.text('Name of the npm package', ownName, checkName)))
  const owner = options.owner ?? (await questions.text('Owner of the topics', await defaultOwner(name), checkOwner))
  const names = { name, package: manifestPackage(name), owner }
  const packageManagerVersion = await findVersion(packageManager, variables.npm_config_user_agent)
  const managed = { packageManager, packageManagerVersion }
  const settled = { dir, template: template.name, ...names, ...managed, ...(ownNode && { ownNode }) }
  if (!ofContract(template)) return { template, answers: settled }
  const { abi, events, contract, address } = options
  const ofOptions = { abi, events, contract, address }
  return { template, answers: { ...settled, contract: asks ? await askContract(ofOptions, questions) : ofOptions } }
}

async function askTemplate(questions: Questions): Promise<string> {
  const choices = (await listTemplates()).map(({ name, description }) => ({ value: name, description }))
  return questions.choice('Template', defaultTemplate, choices)
}

function refuseUnused(template: Template, options: ScaffoldOptions): void {
  if (ofContract(template)) return
  const unused = contractOptions.filter((option) => options[option] !== undefined)
  if (unused.length === 0) return
  const listed = unused.map((option) => `--${option}`).join(', ')
  throw new UserError(
    'unused_option',
    `${listed}: the template ${template.name} does not use this. Omit it, or use --template evm-events.`,
  )
}

function ofContract({ name }: Template): boolean {
  return name === 'evm-events'
}

const contractOptions = ['abi', 'events', 'contract', 'address'] as const

async function askContract(given: ContractAnswers, questions: Questions): Promise<ContractAnswers> {
  const { eventNames } = await import('../abi/choose-events.ts')
  const checkAbi = (answer: string) => eventNames(answer || undefined)
  const abi = given.abi ?? (await questions.text('ABI file (empty: the ABI of ERC-20)', '', checkAbi))
  const names = await eventNames(abi || undefined)
  const events = given.events ?? (await questions.choices('Events', names)).join(',')
  const contract =
    given.contract ?? (await questions.text('Name of the contract in the topics (empty: the name in the ABI)', ''))
  const address = given.address ?? (await questions.text('Address of the contract (empty: set it later)', ''))
  // An empty answer is the default.
  return { abi: abi || undefined, events, contract: contract || undefined, address: address || undefined }
}

/** npm and Git would treat the project as a part of the clone. */
function checkOutsideClone(dir: string, clone: Clone | undefined): void {
  if (!clone) return
  const path = relative(clone.folder, dir)
  if (path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path)) return
  throw new UserError(
    'folder_in_clone',
    `${dir} is inside the clone. Nothing was written. Name a folder outside the clone, such as ../demo.`,
  )
}

function checkPackageManager(packageManager: PackageManager, clone: Clone | undefined): void {
  if (!clone || packageManager === 'npm') return
  throw new UserError(
    'unused_option',
    `--package-manager ${packageManager}: only npm can install the packages of a clone. Omit the option.`,
  )
}

interface Questions {
  text(message: string, fallback: string, check?: Check): Promise<string>
  choice(message: string, fallback: string, choices: readonly Choice[]): Promise<string>
  /** One or more. The default is all. */
  choices(message: string, choices: readonly string[]): Promise<readonly string[]>
}

/** Throws a `UserError` if the answer is invalid. */
type Check = (answer: string) => unknown

interface Choice {
  readonly value: string
  readonly description: string
}

const noQuestions: Questions = {
  text: async (_, fallback) => fallback,
  choice: async (_, fallback) => fallback,
  choices: async (_, choices) => choices,
}

/** Ctrl-C throws `scaffold_cancelled`. */
function questionsOn(terminal: Terminal): Questions {
  return {
    text: (message, fallback, check) =>
      answered(input({ message, default: fallback, validate: (answer) => validate(answer, check) }, terminal)),
    choice(message, fallback, choices) {
      const named = choices.map((choice) => ({ ...choice, name: `${choice.value.padEnd(12)}${choice.description}` }))
      return answered(select({ message, default: fallback, choices: named }, terminal))
    },
    choices(message, choices) {
      const checked = choices.map((value) => ({ value, checked: true }))
      return answered(checkbox({ message, required: true, choices: checked }, terminal))
    },
  }
}

async function validate(answer: string, check: Check | undefined): Promise<true | string> {
  try {
    await check?.(answer)
    return true
  } catch (error) {
    if (error instanceof HeadraceError) return error.message
    throw error
  }
}

async function answered<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if ((error as Error).name !== 'ExitPromptError') throw error
    throw new UserError('scaffold_cancelled', 'A question was not answered. Nothing was written.', { cause: error })
  }
}
