import { useEffect, useRef } from 'preact/hooks'
import { useExplorer } from './explorer.ts'
import { Leave, Moon, Sun, Waves } from './parts/icons.tsx'
import { EmptyState } from './parts/states.tsx'
import { linkTo } from './route/route.ts'
import { SignIn } from './session/sign-in.tsx'
import { ApiView } from './views/api/api-view.tsx'
import { ConnectorsView } from './views/connectors/connectors-view.tsx'
import { TopicView } from './views/topic/topic-view.tsx'
import { TopicsView } from './views/topics/topics-view.tsx'
import { UsageView } from './views/usage/usage-view.tsx'

const menu = [
  { name: 'topics', title: 'Topics' },
  { name: 'connectors', title: 'Connectors' },
  { name: 'usage', title: 'Usage' },
  { name: 'api', title: 'API' },
] as const

export function App() {
  const { session, router, theme } = useExplorer()
  const content = useRef<HTMLElement>(null)
  const { path } = router.route.value
  const [area = 'topics'] = path
  const place = path.join('/')
  useEffect(() => {
    content.current?.scrollTo(0, 0)
    document.title = [...path, 'Headrace'].join(' · ')
  }, [place])
  if (session.token.value === undefined) return <SignIn />
  const themeLabel = theme.current.value === 'dark' ? 'Light colours' : 'Dark colours'
  return (
    <div class="shell">
      <header class="top-bar">
        <a class="brand" href={linkTo([])}>
          <Waves />
          Headrace
        </a>
        <nav class="main-menu" aria-label="Main">
          {menu.map(({ name, title }) => (
            <a key={name} href={linkTo([name])} aria-current={area === name ? 'page' : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <div class="top-actions">
          <button
            type="button"
            class="button plain icon"
            title={themeLabel}
            aria-label={themeLabel}
            onClick={theme.toggle}
          >
            {theme.current.value === 'dark' ? <Sun /> : <Moon />}
          </button>
          <button
            type="button"
            class="button plain icon"
            title="Sign out"
            aria-label="Sign out"
            onClick={() => session.signOut()}
          >
            <Leave />
          </button>
        </div>
      </header>
      <main class="content" ref={content} tabIndex={-1}>
        <View path={path} />
      </main>
    </div>
  )
}

function View({ path: [area = 'topics', name] }: { readonly path: readonly string[] }) {
  if (area === 'topics') return name ? <TopicView key={name} name={name} /> : <TopicsView />
  if (area === 'connectors') return <ConnectorsView />
  if (area === 'api') return <ApiView />
  if (area === 'usage') return <UsageView />
  return (
    <EmptyState isPage title="There is no such page">
      <a class="link" href={linkTo([])}>
        To the topics
      </a>
    </EmptyState>
  )
}
