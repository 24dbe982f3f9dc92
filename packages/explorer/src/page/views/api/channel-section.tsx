import { InlineText } from '../../parts/inline-text.tsx'
import { linkTo } from '../../route/route.ts'
import { type AsyncApi, referenceName } from './api-document.ts'
import { anchorOf, Form, Method } from './endpoint-section.tsx'

interface ChannelSectionProps {
  /** `websocket` or `sse`, as the document names it. */
  readonly name: string
  readonly document: AsyncApi
}

export function ChannelSection({ name, document }: ChannelSectionProps) {
  const { address, description = '', messages } = document.channels[name]!
  const { schemas = {}, messages: defined } = document.components
  const id = anchorOf(name)
  return (
    <section class="endpoint" id={id} aria-labelledby={`${id}-title`} tabIndex={-1}>
      <header>
        <h2 id={`${id}-title`}>
          <a href={linkTo(['api', name])}>
            <Method method={methodOf(name)} /> <span class="mono">{address}</span>
          </a>
        </h2>
        <span class="tag">needs a key</span>
      </header>
      <p>
        <InlineText text={description} />
      </p>
      <div class="answer">
        <h3>{name === 'sse' ? 'Events' : 'Messages'}</h3>
        {Object.values(messages)
          .flatMap(({ $ref }) => defined[referenceName($ref)] ?? [])
          .map(({ name, summary = '', payload }) => (
            <div class="message" key={name}>
              {payload && <Form title={name} schema={payload} schemas={schemas} />}
              <p class="muted">
                <InlineText text={summary} />
              </p>
            </div>
          ))}
      </div>
    </section>
  )
}

export function methodOf(channel: string): string {
  return channel === 'sse' ? 'SSE' : 'WS'
}
