import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { CodeToken } from './code-token.ts'
import { CopyButton } from './copy-button.tsx'

interface CodeBlockProps {
  readonly text: string
  /** What is copied: `the command`. */
  readonly what: string
  readonly title?: ComponentChildren
  readonly actions?: ComponentChildren
  readonly tokensOf?: (text: string) => readonly CodeToken[]
}

/** Characters. More of them are shown without colours. */
const colouredUpTo = 200_000

export function CodeBlock({ text, what, title, actions, tokensOf }: CodeBlockProps) {
  const tokens = useMemo(() => (tokensOf && text.length <= colouredUpTo ? tokensOf(text) : undefined), [text, tokensOf])
  return (
    <figure class="code-block">
      <figcaption>
        <span>{title}</span>
        {actions}
        <CopyButton text={text} what={what} labelled />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it. */}
      <pre dir="ltr" tabIndex={0}>
        <code>{tokens ? coloured(tokens) : text}</code>
      </pre>
    </figure>
  )
}

const colours = new Set(['comment', 'text', 'keyword', 'type', 'number', 'variable'])

function coloured(tokens: readonly CodeToken[]) {
  return tokens.map(({ kind, text }, index) =>
    colours.has(kind) ? (
      <span class={`code-${kind}`} key={index}>
        {text}
      </span>
    ) : (
      text
    ),
  )
}
