import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exportedDeclarations } from '../../testbed/reference/declarations.ts'

const dist = join(import.meta.dirname, '../dist')

// After a change: npx tsc -b tsconfig.build.json, then npx vitest run packages/sdk/test/signatures.test.ts -u
test('docs/reference/sdk-signatures.md has the signature of every export', async () => {
  const page = [
    '# Signatures of the SDK',
    '',
    'What each export of `@headrace/sdk` takes and gives. [The SDK](sdk.md) says what it does.',
    '',
    ...sections(join(dist, 'index.d.ts')),
    '# Signatures of the test kit',
    '',
    'The exports of `@headrace/sdk/testing`. [Testing](sdk.md#testing) says what they do.',
    '',
    ...sections(join(dist, 'testing/index.d.ts')),
  ]
  await expect(page.join('\n')).toMatchFileSnapshot('../../../docs/reference/sdk-signatures.md')
})

function sections(module: string): string[] {
  return [...exportedDeclarations(module)].flatMap(([name, code]) => [`## ${name}`, '', '```ts', code, '```', ''])
}
