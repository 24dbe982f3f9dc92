import { basename, resolve } from 'node:path'
import { UserError } from '@headrace/queue'
import { checkOutsideClone, checkPackageManager } from '../local-packages/clone-limits.ts'
import type { Answers } from '../project/answers.ts'
import { checkFolder } from '../project/check-folder.ts'
import { defaultOwner } from '../project/default-owner.ts'
import { checkName, checkOwner, manifestPackage, nearestName } from '../project/names.ts'
import { noQuestions, type Questions, questionsOn } from '../prompts/questions.ts'
import type { ScaffoldContext } from '../scaffold-context.ts'
import { machineNode, needsOwnNode } from '../set-up/node-version.ts'
import { choosePackageManager, findVersion } from '../set-up/package-manager.ts'
import { defaultTemplate, findTemplate, listTemplates, type Template } from '../template/template.ts'
import type { ScaffoldOptions } from './scaffold-options.ts'
import { askContract, contractOptions, givenContract } from './settle-contract.ts'

/** What is to be made. */
export interface Plan {
  readonly template: Template
  readonly answers: Answers
}

/**
 * Settles what a project is made from: what was given as an option is checked first, the rest is asked for on a terminal
 * or takes its default.
 *
 * @throws {UserError} `unknown_package_manager`, `node_too_old`, `unknown_template`, `unused_option`, `invalid_name`,
 *   `invalid_owner`, `folder_in_clone`, `folder_exists`, `folder_not_written`, `invalid_abi`, `scaffold_cancelled`
 */
export async function settleAnswers(
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
  const dir = resolve(folder ?? (await askFolder(questions, check)))
  await check(dir)
  const template = given ?? (await findTemplate(await askTemplate(questions)))
  refuseUnused(template, options)
  const last = basename(dir)
  const name = checkName(options.name ?? (await askName(questions, asks ? nearestName(last) : last)))
  const owner = options.owner ?? (await askOwner(questions, await defaultOwner(name)))
  const names = { name, package: manifestPackage(name), owner }
  const packageManagerVersion = await findVersion(packageManager, variables.npm_config_user_agent)
  const managed = { packageManager, packageManagerVersion }
  const settled = { dir, template: template.name, ...names, ...managed, ...(ownNode && { ownNode }) }
  if (!ofContract(template)) return { template, answers: settled }
  const contract = givenContract(options)
  return { template, answers: { ...settled, contract: asks ? await askContract(contract, questions) : contract } }
}

function askFolder(questions: Questions, check: (dir: string) => Promise<void>): Promise<string> {
  return questions.text({
    message: 'Folder of the project',
    default: 'my-connector',
    check: (answer) => check(resolve(answer)),
  })
}

async function askTemplate(questions: Questions): Promise<string> {
  const templates = await listTemplates()
  return questions.choice({
    message: 'Template',
    default: defaultTemplate,
    choices: templates.map(({ name, description }) => ({ value: name, description })),
  })
}

function askName(questions: Questions, name: string): Promise<string> {
  return questions.text({ message: 'Name of the npm package', default: name, check: checkName })
}

function askOwner(questions: Questions, owner: string): Promise<string> {
  return questions.text({ message: 'Owner of the topics', default: owner, check: checkOwner })
}

function refuseUnused(template: Template, options: ScaffoldOptions): void {
  if (ofContract(template)) return
  const unused = contractOptions.filter((option) => options[option] !== undefined)
  if (unused.length === 0) return
  const listed = unused.map((option) => `--${option}`).join(', ')
  throw new UserError(
    'unused_option',
    `${listed}: the template ${template.name} has no use for that. Leave it out, or take --template evm-events.`,
  )
}

function ofContract({ name }: Template): boolean {
  return name === 'evm-events'
}
