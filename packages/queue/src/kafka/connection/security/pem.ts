/**
 * The PEM blocks (RFC 7468) in a text whose label ends so: `CERTIFICATE`, `PRIVATE KEY`.
 *
 * In a properties file their lines are joined by blanks, which Java takes and OpenSSL does not: they are broken anew.
 */
export function pemBlocks(text: string, label: 'CERTIFICATE' | 'PRIVATE KEY'): string[] {
  const blocks: string[] = []
  for (const [, name, content] of text.matchAll(/-----BEGIN ([A-Z ]+)-----([\s\S]*?)-----END \1-----/g)) {
    if (!name!.endsWith(label)) continue
    // Encryption headers (RFC 1421) come before an empty line and are kept as they are.
    const [, headers, encoded] = /^((?:\s*[\w-]+: [^\n]*\n)*)([\s\S]*)$/.exec(content!)!
    const lines = encoded!.replaceAll(/\s/g, '').match(/.{1,64}/g) ?? []
    const head = headers!.trim() === '' ? [] : [headers!.trim(), '']
    blocks.push([`-----BEGIN ${name}-----`, ...head, ...lines, `-----END ${name}-----`, ''].join('\n'))
  }
  return blocks
}
