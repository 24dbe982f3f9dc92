/** Control characters, and those that change the order in which text is shown. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u

/** A word of a shell: as it is, in quotes, or with escapes (bash, zsh) if it has characters that nobody sees. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text
  if (!unseen.test(text.replaceAll('\n', ''))) return `'${text.replaceAll("'", "'\\''")}'`
  // A quote is escaped by its number, so that shells without this form find the same end of the word.
  return `$'${escaped(text.replaceAll('\\', '\\\\').replaceAll("'", '\\x27'), shellEscape)}'`
}

function shellEscape(code: number): string {
  if (code < 0x80) return `\\x${hex(code, 2)}`
  return code < 0x1_0000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`
}

/** Also for a script in HTML, which `</script>` and `<!--` would end. */
export function javaScriptString(text: string): string {
  const plain = text
    .replaceAll('\\', '\\\\')
    .replaceAll("'", "\\'")
    .replace(/<(?=[/!a-z])/gi, '\\x3C')
  return `'${escaped(plain, (code) => (code < 0x1_0000 ? `\\u${hex(code, 4)}` : `\\u{${hex(code, 5)}}`))}'`
}

export function pythonString(text: string): string {
  const plain = text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')
  return `"${escaped(plain, (code) => (code < 0x1_0000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`))}"`
}

function escaped(text: string, codeText: (code: number) => string): string {
  return text.replace(new RegExp(unseen, 'gu'), (found) => (found === '\n' ? '\\n' : codeText(found.codePointAt(0)!)))
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0')
}
