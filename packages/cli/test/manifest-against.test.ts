import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createSystemTopics, loadProject, registerTopics, type TopicRegistration } from '@headrace/catalog'
import { openQueue } from '@headrace/queue'
import { describe, expect, onTestFinished, test } from 'vitest'
import { connector } from './whole-path/connector-process.ts'
import { engines } from './whole-path/engines.ts'

const manifest = 'package: evm\nowner: acme\nversion: 1.0.0\ntopics:\n  - { message: Block, name: eth_Block }\n'
const proto = 'syntax = "proto3";\nmessage Block {\n  string Hash = 1;\n  uint64 Number = 2;\n}\n'
const broken = proto.replace('uint64 Number', 'string Number')

async function createFolder(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'headrace-against-test-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await write(folder, files)
  return folder
}

async function write(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
}

const validate = (...args: string[]) => connector('manifest', 'validate', ...args)

describe('--against a git ref', () => {
  const git = (folder: string, ...args: string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { stdio: 'pipe' })

  /** A repository with the files of a connector, and the tag v1. */
  async function createRepository(files: Readonly<Record<string, string>>): Promise<string> {
    const folder = await createFolder(files)
    git(folder, 'init', '-q')
    git(folder, 'add', '.')
    git(folder, 'commit', '-q', '-m', 'x')
    git(folder, 'tag', 'v1')
    return folder
  }
  const project = (text: string) => ({ 'chains/eth/manifest.yaml': manifest, 'chains/eth/evm.proto': text })

  test('a change that breaks readers is reported at its place, whatever is staged', async () => {
    const folder = await createRepository(project(proto))
    const dir = join(folder, 'chains/eth')
    await write(folder, project(broken))
    const { code, stdout, stderr } = await validate(dir, '--against', 'v1')
    expect(stderr).toBe('')
    expect(stdout).toContain(`${dir}/evm.proto:4:10: error: Field "Number" of Block was uint64 and is string.`)
    expect(stdout).toContain('compared with v1: acme.evm.1_0_0.eth_Block\n')
    expect(stdout).not.toContain('valid\n')
    expect(code).toBe(1)
    expect(git(folder, 'status', '--porcelain').toString()).toBe(' M chains/eth/evm.proto\n')
    git(folder, 'add', '.')
    expect(await validate(dir, '--against', 'HEAD')).toMatchObject({ code: 1 })
  })

  test('a compatible change is valid, also if the manifest names files outside its folder', async () => {
    const elsewhere = manifest.replace('topics:', 'proto: ../shared/evm.proto\ntopics:')
    const folder = await createRepository({ 'eth/manifest.yaml': elsewhere, 'shared/evm.proto': proto })
    await write(folder, { 'shared/evm.proto': proto.replace('}', '  bytes Data = 3;\n}') })
    const { code, stdout } = await validate(join(folder, 'eth'), '--against', 'v1', '--json')
    expect(JSON.parse(stdout)).toEqual({
      dir: join(folder, 'eth'),
      valid: true,
      problems: [],
      against: { version: 'v1', topics: ['acme.evm.1_0_0.eth_Block'] },
    })
    expect(code).toBe(0)
  })

  test('a moved folder is compared with its previous place', async () => {
    const folder = await createRepository({ ...project(proto), 'other/manifest.yaml': 'owner: acme\n' })
    await rm(join(folder, 'chains'), { recursive: true })
    await write(folder, { 'moved/manifest.yaml': manifest, 'moved/evm.proto': broken })
    const { code, stdout } = await validate(join(folder, 'moved'), '--against', 'v1')
    expect(stdout).toContain('moved/evm.proto:4:10: error: Field "Number" of Block was uint64 and is string.')
    expect(stdout).toContain('compared with v1: acme.evm.1_0_0.eth_Block\n')
    expect(code).toBe(1)
  })

  test('another topicVersion or a new manifest is compared with nothing', async () => {
    const folder = await createRepository({ 'chains/eth/manifest.yaml': manifest, 'chains/eth/evm.proto': proto })
    await write(folder, {
      'chains/eth/evm.proto': broken,
      'chains/eth/manifest.yaml': manifest.replace('1.0.0', '2.0.0'),
      'new/manifest.yaml': manifest.replace('evm', 'shop'),
      'new/evm.proto': proto,
    })
    expect(await validate(join(folder, 'chains/eth'), '--against', 'v1')).toMatchObject({
      code: 0,
      stdout:
        'nothing to compare with in v1: it belongs to acme.evm.1_0_0, and this project to acme.evm.2_0_0, ' +
        'which has other topics\nvalid\n',
    })
    expect(await validate(join(folder, 'new'), '--against', 'v1')).toMatchObject({
      code: 0,
      stdout: 'nothing to compare with in v1: there was no manifest.yaml then\nvalid\n',
    })
  })

  test('an unknown ref, a folder outside a repository and a manifest with mistakes are wrong usage', async () => {
    const folder = await createRepository({ 'manifest.yaml': 'owner: acme\n', 'evm.proto': proto })
    await write(folder, { 'manifest.yaml': manifest })
    expect(await validate(folder, '--against', 'v2')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('"v2", which is neither a file nor a commit, branch or tag'),
    })
    for (const none of ['', '--output=x', 'v1 v1'])
      expect(await validate(folder, '--against', none)).toMatchObject({ code: 2 })
    expect(await validate(folder, '--against', 'v1')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('v1:manifest.yaml:1:1: error: The field "package" is missing'),
    })
    const outside = await createFolder({ 'manifest.yaml': manifest, 'evm.proto': proto })
    expect(await validate(outside, '--against', 'v1')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/git cannot look it up as a ref in .* \(fatal: not a git repository/),
    })
  })
})

describe('--against a folder', () => {
  test('or its manifest compares with the manifest in the folder', async () => {
    const before = await createFolder({ 'manifest.yaml': manifest, 'evm.proto': proto })
    const dir = await createFolder({ 'manifest.yaml': manifest.replace('eth_Block', 'base_Block'), 'evm.proto': proto })
    for (const against of [before, join(before, 'manifest.yaml')]) {
      const { code, stdout } = await validate(dir, '--against', against)
      expect(stdout).toContain(
        `${dir}/manifest.yaml:5:3: error: Topic "acme.evm.1_0_0.eth_Block" with the message Block`,
      )
      expect(code).toBe(1)
    }
    expect(await validate(before, '--against', before)).toMatchObject({ code: 0 })
  })

  test('warns of a topic that is not published by default any more, which --strict makes an error', async () => {
    const before = await createFolder({ 'manifest.yaml': manifest, 'evm.proto': proto })
    const switched = manifest.replace('eth_Block', 'eth_Block, when: blocks')
    const dir = await createFolder({
      'manifest.yaml': `${switched}config: { properties: { blocks: { type: boolean, default: false } } }\n`,
      'evm.proto': proto,
    })
    const place = `${dir}/manifest.yaml:5:46`
    const message = 'Topic name "eth_Block" was published by default, and now only if the setting "blocks" is true.'
    const { code, stdout } = await validate(dir, '--against', before)
    expect(stdout).toContain(`${place}: warning: ${message}`)
    expect(stdout).toMatch(/^compared with .*\nvalid\n$/m)
    expect(code).toBe(0)
    const strict = await validate(dir, '--against', before, '--strict')
    expect(strict.stdout).toContain(`${place}: error: ${message}`)
    expect(strict.stdout).not.toMatch(/^valid$/m)
    expect(strict.code).toBe(1)
  })

  test('without a manifest is wrong usage, as is a file that is not a manifest', async () => {
    const dir = await createFolder({ 'manifest.yaml': manifest, 'evm.proto': proto, 'empty/x': '' })
    const messages = {
      [join(dir, 'empty')]: 'There is no manifest.yaml here',
      [join(dir, 'evm.proto')]: 'It must be a manifest.yaml',
    }
    for (const [against, message] of Object.entries(messages))
      expect(await validate(dir, '--against', against)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(message),
      })
  })
})

describe('--against a queue', () => {
  async function publish(dir: string, url: string): Promise<void> {
    const { schema, manifest, lineage } = (await loadProject(dir)).project!
    const registrations = ['eth', 'base'].map((instance): TopicRegistration => {
      const { message, bytes, partitions } = manifest.topics[0]!
      const topic = `${lineage}.${instance}_Block`
      const connector = { owner: manifest.owner, package: manifest.package, version: manifest.version }
      return { topic, lineage, instance, connector, message, bytes, partitions, descriptors: schema.descriptors }
    })
    const queue = await openQueue(url)
    await createSystemTopics(queue)
    await registerTopics(queue, registrations)
    await queue.close()
  }

  for (const engine of engines)
    test.skipIf(engine.missing)(
      `${engine.name}: all instances are compared, and each change is reported once`,
      async () => {
        const { url, chain, remove } = await engine.open()
        onTestFinished(remove)
        const owned = manifest.replace('owner: acme', `owner: acme-${chain}`).replace('eth_Block', '"{chain}_Block"')
        const config = 'config:\n  properties:\n    chain: { type: string, pattern: "^[a-z]+$", default: eth }\n'
        const dir = await createFolder({ 'manifest.yaml': owned + config, 'evm.proto': proto })
        const lineage = `acme-${chain}.evm.1_0_0`
        await (await openQueue(url)).close()
        expect(await validate(dir, '--against', url)).toMatchObject({
          code: 0,
          stdout: `nothing to compare with in ${url}: ${lineage} has no topics there yet\nvalid\n`,
        })
        await publish(dir, url)
        expect(await validate(dir, '--against', url)).toMatchObject({ code: 0 })
        await write(dir, { 'evm.proto': broken })
        const { code, stdout } = await validate(dir, '--against', url, '--json')
        expect(JSON.parse(stdout)).toMatchObject({
          problems: [{ code: 'incompatible_schema', line: 4, column: 10 }],
          against: { topics: expect.arrayContaining([`${lineage}.eth_Block`, `${lineage}.base_Block`]) },
        })
        expect(code).toBe(1)
      },
    )

  test('that does not exist is a mistake', async () => {
    const dir = await createFolder({ 'manifest.yaml': manifest, 'evm.proto': proto })
    expect(await validate(dir, '--against', `embedded:${dir}`)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('queue_not_found'),
    })
  })
})
