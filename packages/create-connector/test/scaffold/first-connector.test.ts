import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { applyChange, firstMissing, guideSteps } from '../../../testbed/guide/guide.ts'
import { typeLine, typeToEnd, type UserCommand, userEnvironment } from '../../../testbed/registry/user-command.ts'

const registry = inject('registry')
const page = new URL('../../../../docs/guides/first-connector.md', import.meta.url)

test.skipIf(!registry)('the guide to a first connector works as printed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'headrace-guide-'))
  const reader = createReader(folder, { ...userEnvironment(registry!), npm_config_yes: 'true' })
  onTestFinished(async () => {
    reader.leave()
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 })
  })
  const port = await freePort()
  for (const step of guideSteps((await readFile(page, 'utf8')).replaceAll('8080', String(port))))
    if (step.kind === 'commands')
      await reader.type(step.script.replace('npm run serve', `npm run serve -- --port ${port}`))
    else if (step.kind === 'change') await reader.change(step.file, step.diff)
    else await reader.expect(step.lines)
})

/** Follows a guide: types into terminals, edits files and compares what is printed. */
function createReader(home: string, env: Record<string, string>) {
  const shell = join(home, 'variables')
  const place = join(home, 'place')
  const open: UserCommand[] = []
  let folder = home
  let last: UserCommand | undefined
  return {
    async type(script: string) {
      const lines = script.trimEnd().split('\n')
      const staying = runsOn.test(lines.at(-1)!) ? lines.pop() : undefined
      const remembered = `touch ${shell}; . ${shell}`
      if (lines.length > 0) {
        // The next lines use the variables and the folder of these lines.
        const toEnd = [`${remembered}; set -ea`, ...lines, `export -p > ${shell}; pwd > ${place}`]
        last = await typeToEnd(toEnd.join('\n'), folder, env)
        folder = (await readFile(place, 'utf8')).trimEnd()
      }
      if (!staying) return
      last = typeLine(`${remembered}; exec ${staying}`, folder, env)
      open.push(last)
    },
    async change(file: string, diff: string) {
      const path = join(folder, file)
      await writeFile(path, applyChange(await readFile(path, 'utf8'), diff))
    },
    async expect(lines: readonly string[]) {
      const command = last!
      await expect.poll(() => firstMissing(command.output(), lines) && command.output()).toBeUndefined()
      if (command.line.includes('npm run dev')) await command.interrupt()
    },
    leave() {
      for (const command of open) command.kill()
    },
  }
}

/** Commands that do not end by themselves. */
const runsOn = /^(npm run dev|npm start|npm run serve|curl -N )/

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
