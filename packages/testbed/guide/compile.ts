import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'

const root = join(import.meta.dirname, '../../..')

/** What the compiler reports about a folder of this repository, with the packages as they are published. */
export async function compilerOutput(folder: string, include: readonly string[] = ['.']): Promise<string> {
  const config = { extends: join(root, 'tsconfig.json'), compilerOptions: { customConditions: [] }, include }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const { all } = await execa(process.execPath, [tsc, '--noEmit'], { cwd: folder, reject: false, all: true })
  return all
}
