import { describe, expect, it } from 'vitest'
import { type LocalPackage, useLocalPackages, usesLocalPackages } from './local-package.ts'

function localPackage(name: string, hash: string): LocalPackage {
  const path = `headrace-packages/${name}-${hash}.tgz`
  return { name, specifier: `file:${path}`, tarball: { path, content: '' } }
}

const manifest = {
  name: 'demo',
  scripts: { dev: 'connector dev' },
  dependencies: { '@headrace/sdk': '0.1.0', ethers: '6.17.0' },
  devDependencies: { '@headrace/cli': '0.1.0' },
  overrides: { ethers: { ws: '8.0.0' } },
}
const names = ['@headrace/cli', '@headrace/queue', '@headrace/sdk']
const first = useLocalPackages(
  JSON.stringify(manifest),
  names.map((name) => localPackage(name, '1')),
)

describe('a package.json', () => {
  it('refers to packages by files, and to indirect dependencies by overrides', () => {
    expect(JSON.parse(first)).toEqual({
      ...manifest,
      dependencies: { '@headrace/sdk': 'file:headrace-packages/@headrace/sdk-1.tgz', ethers: '6.17.0' },
      devDependencies: { '@headrace/cli': 'file:headrace-packages/@headrace/cli-1.tgz' },
      overrides: { ethers: { ws: '8.0.0' }, '@headrace/queue': 'file:headrace-packages/@headrace/queue-1.tgz' },
    })
  })

  it('has no override of a removed package, or of one that is a direct dependency now', () => {
    const edited = JSON.parse(first)
    edited.dependencies['@headrace/queue'] = '0.1.0'
    const again = useLocalPackages(
      JSON.stringify({ ...edited, overrides: { ...edited.overrides, gone: 'file:headrace-packages/gone-1.tgz' } }),
      names.map((name) => localPackage(name, '2')),
    )
    expect(JSON.parse(again)).toMatchObject({
      dependencies: { '@headrace/queue': 'file:headrace-packages/@headrace/queue-2.tgz' },
      overrides: { ethers: { ws: '8.0.0' } },
    })
    expect(Object.keys(JSON.parse(again).overrides)).toEqual(['ethers'])
  })

  it('is recognised by these files', () => {
    expect(usesLocalPackages(first)).toBe(true)
    expect(usesLocalPackages(JSON.stringify(manifest))).toBe(false)
    expect(usesLocalPackages('{}')).toBe(false)
  })
})
