import { join } from 'node:path'
import { execa } from 'execa'
import { cachedFolder } from '../cached-folder.ts'
import { firstLine } from '../skipped-tests.ts'

/** A folder of programs to put first in PATH, or the reason why there is none. */
export type PreparedPrograms = { readonly folder: string } | { readonly unavailable: string }

/** The packages that Python children, producers and readers need. */
const defaultPackages = [
  ...['protobuf==7.36.2', 'confluent-kafka[protobuf,schemaregistry]==2.16.1', 'websockets==17.4'],
  ...['cryptography==48.0.0', 'httpx==0.28.1', 'brotli==1.2.1', 'zstandard==0.25.0', 'standardwebhooks==1.1.0'],
]

/** A folder whose `python3` has the packages that tests need, and their programs. It is made once and cached. */
export async function preparePython(packages: readonly string[] = defaultPackages): Promise<PreparedPrograms> {
  try {
    const home = await cachedFolder(`python-${packages.join('-').replaceAll(/[^\w.-]+/g, '-')}`, async (work) => {
      await execa('python3', ['-m', 'venv', work])
      await execa(join(work, 'bin/python3'), ['-m', 'pip', 'install', '--quiet', ...packages])
    })
    return { folder: join(home, 'bin') }
  } catch (error) {
    return { unavailable: `no Python 3 with ${packages.join(' and ')}: ${firstLine(error)}` }
  }
}
