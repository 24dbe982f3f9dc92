/** Follows "cannot be read:" in a message. */
export function explainFileMistake({ code, message }: NodeJS.ErrnoException): string {
  return sentences[code ?? ''] ?? message
}

const sentences: Readonly<Record<string, string>> = {
  EACCES: 'this user may not read it',
  EISDIR: 'it is a folder',
  ENOENT: 'there is no such file',
  ENOTDIR: 'a part of its path is a file, not a folder',
}
