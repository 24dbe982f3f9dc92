import { expect, test } from 'vitest'
import { addRelease, type Changeset, releaseNotes } from './changelog.ts'

const changesets: Changeset[] = [
  {
    summary: 'A gateway serves tables.\n\n- `GET /tables`, see [REST](../docs/reference/rest.md).',
    releases: [
      { name: '@headrace/server', type: 'minor' },
      { name: 'create-connector', type: 'patch' },
    ],
  },
  { summary: 'A read ends in time.', releases: [{ name: '@headrace/client', type: 'patch' }] },
]

const listed = `### Minor changes

- **server, create-connector**: A gateway serves tables.

  - \`GET /tables\`, see [REST](docs/reference/rest.md).

### Patches

- **client**: A read ends in time.

`

test('a release takes the place of what was unreleased, and lists each changeset once', () => {
  const changelog = '# Changelog\n\n## Unreleased\n\n- Tables.\n\n## 0.1.0\n\nThe first.\n'
  expect(addRelease(changelog, '0.2.0', changesets)).toBe(
    `# Changelog\n\n## 0.2.0\n\n- Tables.\n\n${listed}## 0.1.0\n\nThe first.\n`,
  )
})

test('a release without an overview is put before the ones that there are', () => {
  const changelog = '# Changelog\n\n## 0.1.0\n\nThe first.\n'
  expect(addRelease(changelog, '0.2.0', changesets)).toBe(
    `# Changelog\n\n## 0.2.0\n\n${listed}## 0.1.0\n\nThe first.\n`,
  )
})

test('the notes of a release are its section, with links to its version of the files', () => {
  const changelog =
    '# Changelog\n\n## 0.2.0\n\nSee [a](docs/a.md), [b](#b) and [c](https://c.org).\n\n## 0.1.0\n\nOld.\n'
  expect(releaseNotes(changelog, '0.2.0')).toBe(
    'See [a](https://github.com/headrace/headrace/blob/v0.2.0/docs/a.md), [b](#b) and [c](https://c.org).',
  )
  expect(() => releaseNotes(changelog, '0.3.0')).toThrow('CHANGELOG.md has no section "## 0.3.0".')
})
