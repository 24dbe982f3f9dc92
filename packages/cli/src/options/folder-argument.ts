import { type Command, InvalidArgumentError } from 'commander'

/** Gives a command the folder of the connector that it is about: by default the current one. */
export function addFolderArgument(command: Command): Command {
  return command.argument('[dir]', 'folder of the connector', readFolder, '.')
}

/** Gives a command the folders of the connectors that it is about. Without any: the current one. */
export function addFoldersArgument(command: Command): Command {
  return command.argument('[dir...]', 'folders of connectors (default: ".")', (text, before?: readonly string[]) => [
    ...(before ?? []),
    readFolder(text),
  ])
}

/** An empty path is that of a variable that is not set, and not of the current folder. */
function readFolder(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must name a folder; "." is the current one.')
  return text
}
