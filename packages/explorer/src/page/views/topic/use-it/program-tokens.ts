import type { CodeToken } from '../../../parts/code-token.ts'
import type { Language } from './programs.ts'

const keywords: Readonly<Record<Language, string>> = {
  sh: 'curl connector',
  js: 'import from const for await of if else new',
  html: 'import from const for await of if else new',
  py: 'import while with as for in if not and elif else break True False None',
}

const javaScript = String.raw`\x60(?:[^\x60\\]|\\.)*\x60|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"`
const texts: Readonly<Record<Language, string>> = {
  sh: String.raw`\$'(?:[^'\\]|\\.)*'|'[^']*'|\\'|"(?:[^"\\]|\\.)*"`,
  js: javaScript,
  html: javaScript,
  py: String.raw`b?"(?:[^"\\]|\\.)*"`,
}

/** Together the tokens are the text. */
export function programTokens(text: string, language: Language): CodeToken[] {
  const tag = language === 'html' ? '</?[a-z]+(?= |>)|>(?=\\n|<)' : '(?!)'
  const pattern = new RegExp(`(${texts[language]})|(${tag})|((?<![\\w-])[A-Za-z_]+\\b)|((?<![\\w.-])\\d+\\b)|[^]`, 'g')
  const known = new Set(keywords[language].split(' '))
  const tokens: CodeToken[] = []
  for (const [found, literal, tag, word, number] of text.matchAll(pattern)) {
    const kind = literal
      ? 'text'
      : tag || (word && known.has(word))
        ? 'keyword'
        : number && language !== 'sh'
          ? 'number'
          : 'other'
    const last = tokens.at(-1)
    if (kind === 'other' && last?.kind === 'other') tokens[tokens.length - 1] = { kind, text: last.text + found }
    else tokens.push({ kind, text: found })
  }
  return tokens.flatMap(withKey)
}

/** The place of the key stands out, also inside a string. */
function withKey({ kind, text }: CodeToken): CodeToken[] {
  const parts = text.split(/(\$KEY\b|(?<=")KEY(?=")|(?<=env\.)KEY\b)/)
  return parts.flatMap((part, index) => (part ? [{ kind: index % 2 ? 'variable' : kind, text: part }] : []))
}
