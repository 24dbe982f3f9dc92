import { basename, resolve } from 'node:path'
import type { ScaffoldOptions } from './options/scaffold-options.ts'
import type { Answers } from './project/answers.ts'
import { checkFolder } from './project/check-folder.ts'
import { checkName, checkOwner, defaultOwner, manifestPackage } from './project/names.ts'
import { makeProjectFiles } from './project/project-files.ts'
import { writeProject } from './project/write-project.ts'
import type { ScaffoldContext } from './scaffold-context.ts'
import { choosePackageManager } from './set-up/package-manager.ts'
import { defaultTemplate, findTemplate } from './template/template.ts'

/** Makes a project: everything is checked before the first file is written. */
export async function scaffold(
  folder: string | undefined,
  options: ScaffoldOptions,
  context: ScaffoldContext,
): Promise<void> {
  const template = await findTemplate(options.template ?? defaultTemplate)
  const dir = resolve(folder ?? 'my-connector')
  const name = checkName(options.name ?? basename(dir))
  const answers: Answers = {
    dir,
    template: template.name,
    name,
    package: manifestPackage(name),
    owner: checkOwner(options.owner ?? defaultOwner(name)),
    packageManager: choosePackageManager(options.packageManager, context.variables.npm_config_user_agent),
  }
  await checkFolder(dir)
  const files = await makeProjectFiles(template, answers)
  await writeProject(dir, files)
  context.note(`Made ${dir} from the template ${template.name}: ${files.length} files.`)
}
