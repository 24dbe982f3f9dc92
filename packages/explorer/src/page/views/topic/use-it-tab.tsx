import { useMemo, useState } from 'preact/hooks'
import { useExplorer } from '../../explorer.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { TabList } from '../../parts/tab-list.tsx'
import type { Topic } from '../../service/types.ts'
import { programTokens } from './use-it/program-tokens.ts'
import { type Language, programsFor } from './use-it/programs.ts'

interface UseItTabProps {
  readonly topic: Topic
  /** Empty: all records. */
  readonly filter: string
  readonly view: 'canonical' | 'log'
  /** A position. Empty: the newest records, and then live ones. */
  readonly from: string
}

/** Programs that read the records that the page shows. */
export function UseItTab({ topic, filter, view, from }: UseItTabProps) {
  const { service } = useExplorer()
  const groups = useMemo(
    () => programsFor({ url: service.url, topic: topic.topic, filter, view, from }),
    [service.url, topic.topic, filter, view, from],
  )
  const [selected, setSelected] = useState('curl')
  const { programs } = groups.find(({ name }) => name === selected)!
  return (
    <div class="use-it">
      <header>
        <h2>Read this topic from a program</h2>
        <p class="muted">
          {filter || from || view === 'log'
            ? 'With the filter, view and position that are chosen under Records.'
            : 'A filter, view or position that is chosen under Records is added here.'}{' '}
          Put an API key in place of <code class="code-variable">$KEY</code>: <code>export KEY=hr_…</code>
        </p>
        <Chosen {...{ filter, view, from }} />
      </header>
      <TabList label="Program" tabs={groups} selected={selected} onSelect={setSelected} panel="programs" />
      <div class="programs" id="programs" role="tabpanel" aria-labelledby={`programs-${selected}`}>
        {programs.map(({ title, note, language, text }) => (
          <div key={`${selected} ${title}`} class="program">
            <CodeBlock text={text} what={`“${title}”`} title={title} tokensOf={tokensOf[language]} />
            {note && <p class="muted">{note}</p>}
          </div>
        ))}
      </div>
    </div>
  )
}

const tokensOf: Readonly<Record<Language, (text: string) => ReturnType<typeof programTokens>>> = {
  sh: (text) => programTokens(text, 'sh'),
  js: (text) => programTokens(text, 'js'),
  html: (text) => programTokens(text, 'html'),
  py: (text) => programTokens(text, 'py'),
}

function Chosen({ filter, view, from }: Omit<UseItTabProps, 'topic'>) {
  const chosen = [
    ['Filter', filter],
    ['View', view === 'log' ? view : ''],
    ['From', from],
  ].filter(([, value]) => value)
  if (chosen.length === 0) return null
  return (
    <dl class="chosen">
      {chosen.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class="mono" dir="ltr">
            {value}
          </dd>
        </div>
      ))}
    </dl>
  )
}
