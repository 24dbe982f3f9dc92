import { useExplorer } from '../explorer.ts'
import { Search } from './icons.tsx'

/** What is searched for is the parameter `search` of the route. */
export function SearchBox({ label, placeholder }: { readonly label: string; readonly placeholder: string }) {
  const { router } = useExplorer()
  return (
    <label class="search">
      <Search />
      <input
        class="input"
        type="search"
        placeholder={placeholder}
        aria-label={label}
        value={router.route.value.query.search ?? ''}
        onInput={(event) => router.setQuery({ search: event.currentTarget.value })}
      />
    </label>
  )
}
