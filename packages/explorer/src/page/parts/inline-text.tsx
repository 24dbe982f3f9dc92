/** Text with `code` and [links](https://…), as descriptions of APIs have them. Everything else is shown as it is. */
export function InlineText({ text }: { readonly text: string }) {
  const parts = text.split(/(`[^`\n]+`|\[[^\]\n]+\]\(https?:\/\/[^\s)]+\))/)
  return (
    <>
      {parts.map((part, index) => {
        if (index % 2 === 0) return part
        if (part.startsWith('`')) return <code key={part}>{part.slice(1, -1)}</code>
        const [, label = '', address = ''] = /^\[(.+)\]\((.+)\)$/.exec(part)!
        return (
          <a class="link" key={part} href={address} target="_blank" rel="noreferrer">
            {label}
          </a>
        )
      })}
    </>
  )
}
