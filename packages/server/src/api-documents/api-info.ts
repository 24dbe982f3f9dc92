import type { JsonSchema } from '@headrace/catalog'

const stability = 'https://github.com/headrace/headrace/blob/main/docs/guides/stability.md'

/** What OpenAPI and AsyncAPI say about the interface as a whole. */
export function apiInfo(description: string, contact: string | undefined): JsonSchema {
  return {
    title: 'Headrace',
    version: '1',
    description:
      `${description}\n\nThe interface is in beta. Fields, events and optional parameters are added; a change that breaks ` +
      `readers gets \`v2\`, next to \`v1\`. Limits may change. [What may change, and how it is announced](${stability}).`,
    ...(contact !== undefined && { contact: contactObject(contact) }),
  }
}

/** The Contact Object of both specifications. */
function contactObject(contact: string): JsonSchema {
  if (/^https?:\/\//.test(contact) && URL.canParse(contact)) return { url: contact }
  return /^[^\s@]+@[^\s@]+$/.test(contact) ? { email: contact } : { name: contact }
}
