import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { environment } from '../kafka/environment.ts'

/** Programs of this repository that are written in Go: their folders, by name. */
const programs = {
  'go-clock': 'examples/go-clock',
  scripted: 'packages/sdk/test/process/children/scripted-go',
  'event-reader': 'packages/server/test/independent/event-reader',
}

/** Builds them into a folder, or says why they cannot be built. Go's cache makes it quick but for the first time. */
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

const root = join(import.meta.dirname, '../..')
