/** Why a file cannot be read, as the rest of a sentence that names it. */
export function explainFileMistake({ code, message }: NodeJS.ErrnoException): string {
  return sentences[code ?? ''] ?? message
}

const sentences: Readonly<Record<string, string>> = {
  EACCES: 'this user may not read it',
  EISDIR: 'it is a folder',
  ENOENT: 'there is no such file',
  ENOTDIR: 'a part of its path is a file, not a folder',
}
