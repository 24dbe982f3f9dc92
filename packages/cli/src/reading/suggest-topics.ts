import { didYouMean } from '@headrace/catalog'

/** Names in a message. */
const most = 20

/** Sentences that name similar topics, to append to "There is no topic …". */
export function suggestTopics(name: string, known: readonly string[]): string {
  if (known.length === 0) return ' It has no topics yet: run a connector first, or check --queue.'
  const holding = known.filter((one) => name !== '' && one.toLowerCase().includes(name.toLowerCase()))
  if (holding.length > 1) return ` Topics with "${name}" in their name: ${listOf(holding)}.`
  const meant = holding.length === 1 ? ` Did you mean "${holding[0]}"?` : didYouMean(name, known)
  return `${meant} Its topics are: ${listOf(known)}.`
}

function listOf(names: readonly string[]): string {
  const shown = names.toSorted().slice(0, most).join(', ')
  return names.length > most ? `${shown} and ${names.length - most} more` : shown
}
