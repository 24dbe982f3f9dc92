import { type Command, InvalidArgumentError } from 'commander'

export function addFolderArgument(command: Command): Command {
  return command.argument('[dir]', 'folder of the connector', readFolder, '.')
}

export function addFoldersArgument(command: Command): Command {
  return command.argument('[dir...]', 'folders of connectors (default: ".")', (text, before?: readonly string[]) => [
    ...(before ?? []),
    readFolder(text),
  ])
}

/** An empty path comes from a variable that is not set. It does not mean the current folder. */
function readFolder(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must name a folder; "." is the current one.')
  return text
}
