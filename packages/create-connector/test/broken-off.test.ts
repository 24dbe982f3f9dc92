import { readdirSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startScaffold } from './scaffold-process.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'create-connector-broken-'))
})
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }))

test('a command that is killed while it writes files leaves no incomplete folder with the name of the project', async () => {
  await startScaffold('create-connector', folder, ['whole', '--no-install']).ended
  const files = await countFiles(join(folder, 'whole'))
  let inTheMiddle = 0
  for (let attempt = 0; attempt < 20 && inTheMiddle < 3; attempt++) {
    const name = `demo-${attempt}`
    const { child, ended } = startScaffold('create-connector', folder, [name, '--no-install'])
    while (child.exitCode === null && !readdirSync(folder).some((entry) => entry.includes(name))) await turn()
    child.kill('SIGKILL')
    await ended
    const entries = (await readdir(folder)).filter((entry) => entry.includes(name))
    expect(entries).toHaveLength(1)
    if (entries[0] !== name) {
      expect(entries[0]).toMatch(new RegExp(`^\\.${name}\\.[0-9a-f]{8}$`))
      inTheMiddle++
    } else expect(await countFiles(join(folder, name))).toBe(files)
  }
  expect(inTheMiddle).toBe(3)
})

test('a signal during the install ends it; the project is kept, and the remaining commands are printed', async () => {
  const started = startScaffold('create-connector', folder, ['demo'], {
    // Nothing listens there, and npm would repeat the request for a minute.
    npm_config_registry: 'http://127.0.0.1:1/',
    npm_config_cache: join(folder, 'cache'),
  })
  while (!started.output().includes('Made ')) await turn()
  started.child.kill('SIGTERM')
  const { code, stdout, stderr } = await started.ended
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('(scaffold_cancelled)') })
  expect(stdout).toMatch(/^ {2}npm install$/m)
  expect(await readdir(join(folder, 'demo'))).toContain('manifest.yaml')
})

async function countFiles(dir: string): Promise<number> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).length
}
