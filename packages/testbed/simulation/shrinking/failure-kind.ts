/** The kind of a failure: its first words without numbers. Failures with the same cause have the same kind. */
export function failureKind(failure: string): string {
  const [line = ''] = failure.split('\n', 1)
  return line.replaceAll(/\d+/g, '#').split(' ').slice(0, 7).join(' ')
}
