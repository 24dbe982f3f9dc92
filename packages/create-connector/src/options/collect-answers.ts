import { basename, isAbsolute, relative, resolve, sep } from 'node:path'
import { UserError } from '@headrace/queue'
import type { Clone } from '../local-packages/local-package.ts'
import type { Answers, ContractAnswers } from '../project/answers.ts'
import { checkName, checkOwner, defaultOwner, manifestPackage, nearestName } from '../project/names.ts'
import { checkFolder } from '../project/write-project.ts'
import { noQuestions, type Questions, questionsOn } from '../prompts/questions.ts'
import type { ScaffoldContext, ScaffoldOptions } from '../scaffold-context.ts'
import { machineNode, needsOwnNode } from '../set-up/node-version.ts'
import { choosePackageManager, findVersion, type PackageManager } from '../set-up/package-manager.ts'
import { defaultTemplate, findTemplate, listTemplates, type Template } from '../template/template.ts'

interface Plan {
  readonly template: Template
  readonly answers: Answers
}

/** From options, which are checked first, from questions on a terminal, or from defaults. */
export async function collectAnswers(
  folder: string | undefined,
  options: ScaffoldOptions,
  { variables, terminal, clone }: ScaffoldContext,
): Promise<Plan> {
  const asks = terminal !== undefined && !options.yes
  const questions = asks ? questionsOn(terminal) : noQuestions
  const packageManager = choosePackageManager(options.packageManager, variables.npm_config_user_agent)
  checkPackageManager(packageManager, clone)
  const ownNode = needsOwnNode(machineNode(variables.npm_config_user_agent), packageManager)
  const given = options.template === undefined ? undefined : await findTemplate(options.template)
  if (options.name !== undefined) checkName(options.name)
  if (options.owner !== undefined) checkOwner(options.owner)
  if (given) refuseUnused(given, options)

  const check = async (dir: string) => {
    checkOutsideClone(dir, clone)
    await checkFolder(dir)
  }
  const ask = (message: string, value: string, checkAnswer: (answer: string) => unknown) =>
    questions.text({ message, default: value, check: checkAnswer })
  const checkDir = (answer: string) => check(resolve(answer))
  const dir = resolve(folder ?? (await ask('Folder of the project', 'my-connector', checkDir)))
  await check(dir)
  const template = given ?? (await findTemplate(await askTemplate(questions)))
  refuseUnused(template, options)
  const last = basename(dir)
  const name = checkName(
    options.name ?? (await ask('Name of the npm package', asks ? nearestName(last) : last, checkName)),
  )
  const owner = options.owner ?? (await ask('Owner of the topics', await defaultOwner(name), checkOwner))
  const names = { name, package: manifestPackage(name), owner }
  const packageManagerVersion = await findVersion(packageManager, variables.npm_config_user_agent)
  const managed = { packageManager, packageManagerVersion }
  const settled = { dir, template: template.name, ...names, ...managed, ...(ownNode && { ownNode }) }
  if (!ofContract(template)) return { template, answers: settled }
  const contract = givenContract(options)
  return { template, answers: { ...settled, contract: asks ? await askContract(contract, questions) : contract } }
}

async function askTemplate(questions: Questions): Promise<string> {
  const templates = await listTemplates()
  return questions.choice({
    message: 'Template',
    default: defaultTemplate,
    choices: templates.map(({ name, description }) => ({ value: name, description })),
  })
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

function givenContract({ abi, events, contract, address }: ScaffoldOptions): ContractAnswers {
  return {
    ...(abi !== undefined && { abi }),
    ...(events !== undefined && { events: [events] }),
    ...(contract !== undefined && { contract }),
    ...(address !== undefined && { address }),
  }
}

/** An empty answer is the default. */
async function askContract(given: ContractAnswers, questions: Questions): Promise<ContractAnswers> {
  const { eventNames } = await import('../abi/choose-events.ts')
  const ask = (message: string, check?: (answer: string) => unknown) =>
    questions.text({ message, default: '', ...(check && { check }) })
  const abi =
    given.abi ?? (await ask('ABI file (empty: the ABI of ERC-20)', (answer) => eventNames(answer || undefined)))
  const names = await eventNames(abi || undefined)
  const events = given.events ?? (await questions.choices({ message: 'Events', choices: names }))
  const contract = given.contract ?? (await ask('Name of the contract in the topics (empty: the name in the ABI)'))
  const address = given.address ?? (await ask('Address of the contract (empty: set it later)'))
  return { ...(abi && { abi }), events, ...(contract && { contract }), ...(address && { address }) }
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
