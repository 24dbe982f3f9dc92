/** What two failures of one cause have in common: their first words, without numbers. */
export function failureKind(failure: string): string {
  const [line = ''] = failure.split('\n', 1)
  return line.replaceAll(/\d+/g, '#').split(' ').slice(0, 7).join(' ')
}
