import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { environment } from '../environment.ts'

/** Folders of the programs of this repository that are written in Go, by name. */
const programs = {
  'go-clock': 'examples/go-clock',
  scripted: 'packages/sdk/test/process/children/scripted-go',
  'event-reader': 'packages/server/test/independent/event-reader',
}

/** Builds them into a folder, or gives the reason why that is impossible. With Go's cache it takes a second. */
export async function buildGoPrograms(): Promise<{ readonly folder: string } | { readonly unavailable: string }> {
  const folder = join(environment.cacheFolder, 'go-programs')
  try {
    await mkdir(folder, { recursive: true })
    for (const [name, dir] of Object.entries(programs))
      await execa('go', ['build', '-o', join(folder, name), '.'], { cwd: join(root, dir) })
    return { folder }
  } catch (error) {
    return { unavailable: `no Go that builds them: ${(error as Error).message.split('\n')[0]}` }
  }
}

const root = join(import.meta.dirname, '../../..')
