import type { ProjectFile } from '../project/project-file.ts'

type Content = ProjectFile['content']

/** Puts lines in the place of each line `{{name}}`, without a rest of it where there are none. */
export function fillLines(content: Content, lines: Readonly<Record<string, readonly string[]>>): Content {
  if (typeof content !== 'string') return content
  return content.replaceAll(/^\{\{([A-Za-z]+)\}\}\n/gm, (line, name: string) =>
    lines[name] ? lines[name].map((each) => `${each}\n`).join('') : line,
  )
}

/** Puts words in the place of each `{{name}}`. */
export function fillWords(content: Content, words: Readonly<Record<string, string>>): Content {
  if (typeof content !== 'string') return content
  return content.replaceAll(/\{\{([A-Za-z]+)\}\}/g, (token, name: string) => words[name] ?? token)
}
