import { repository } from '../../site/source/addresses.ts'

/** A file of `.changeset/`. */
export interface Changeset {
  readonly summary: string
  readonly releases: readonly { readonly name: string; readonly type: 'major' | 'minor' | 'patch' | 'none' }[]
}

const kinds = { major: 'Major changes', minor: 'Minor changes', patch: 'Patches' } as const

/** Makes the section "Unreleased" that of a version, or adds one, and lists the changesets in it. */
export function addRelease(changelog: string, version: string, changesets: readonly Changeset[]): string {
  const list = formatChangesets(changesets)
  const [header, ...sections] = changelog.split(/^(?=## )/m)
  const unreleased = sections[0]?.startsWith('## Unreleased\n') ? sections.shift()! : '## Unreleased\n'
  const section = `${unreleased.replace('Unreleased', version).trimEnd()}\n\n${list}`
  return [header, section, ...sections].join('')
}

/** The section of a version without its heading, with links that work outside of the repository. */
export function releaseNotes(changelog: string, version: string): string {
  const section = changelog.split(/^(?=## )/m).find((part) => part.startsWith(`## ${version}\n`))
  if (section === undefined) throw new Error(`CHANGELOG.md has no section "## ${version}".`)
  const base = `${repository}/blob/v${version}/`
  return section
    .slice(section.indexOf('\n'))
    .trim()
    .replace(/\]\((?![a-z]+:|#)/g, `](${base}`)
}

function formatChangesets(changesets: readonly Changeset[]): string {
  return Object.entries(kinds)
    .map(([kind, title]) => {
      const items = changesets.filter((changeset) => kindOf(changeset) === kind).map(formatChangeset)
      return items.length > 0 ? `### ${title}\n\n${items.join('')}` : ''
    })
    .join('')
}

/** The largest change that it makes to a package. */
function kindOf({ releases }: Changeset): string | undefined {
  return Object.keys(kinds).find((kind) => releases.some(({ type }) => type === kind))
}

/** Links of a changeset are relative to its folder. */
function formatChangeset({ summary, releases }: Changeset): string {
  const names = releases.map(({ name }) => name.replace('@headrace/', '')).join(', ')
  const [first, ...others] = `**${names}**: ${summary.trim().replaceAll('](../', '](')}`.split('\n')
  return [`- ${first}`, ...others.map((line) => line && `  ${line}`)].join('\n').concat('\n\n')
}
