import { Argument, type Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addExample, addResultAction } from '../output/result.ts'

const shells = ['bash', 'zsh'] as const
type Shell = (typeof shells)[number]

export function addCompletionCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('completion')
    .description('print the completion script for a shell')
    .addArgument(new Argument('<shell>', 'shell to complete for').choices(shells))
  addResultAction(command, 'print a JSON object with the script', context, async function* (shell: Shell) {
    const script = shellCompletion(program, ['connector', 'headrace'], shell)
    yield { json: () => [{ shell, script }], text: () => script }
  })
  addExample(command, 'source <(connector completion bash)')
}

/** Both shells run the same script: zsh has a mode for scripts of bash. */
function shellCompletion(program: Command, names: readonly string[], shell: Shell): string {
  const commands = commandsOf(program)
  const script = `_connector_completion() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command='' word='' words=''
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD-1))}"; do
    case "$command $word" in
      ${patterns(commands.map(({ path }) => path))}) command="$command $word" ;;
    esac
  done
  case "$command $previous" in
${valueCases(commands)}    *)
      case "$command" in
        '') words='${program.commands.map((command) => command.name()).join(' ')}' ;;
${commands.map(wordCase).join('')}      esac
      ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _connector_completion ${names.join(' ')}
`
  return shell === 'bash' ? script : `autoload -U +X bashcompinit && bashcompinit\n${script}`
}

interface CommandPlace {
  readonly command: Command
  /** The names of the command and its parents, each after a space: ` topics list`. */
  readonly path: string
}

function commandsOf(parent: Command, parentPath = ''): CommandPlace[] {
  return parent.commands.flatMap((command) => {
    const path = `${parentPath} ${command.name()}`
    return [{ command, path }, ...commandsOf(command, path)]
  })
}

function valueCases(commands: readonly CommandPlace[]): string {
  const places = commands.flatMap(({ command, path }) =>
    command.options
      .filter(({ required, optional }) => required || optional)
      .map(({ long, argChoices }) => ({ place: `${path} ${long}`, argChoices })),
  )
  const chosen = places.filter(({ argChoices }) => argChoices)
  const free = places.filter(({ argChoices }) => !argChoices)
  const cases = chosen.map(({ place, argChoices }) => `    '${place}') words='${argChoices!.join(' ')}' ;;\n`)
  return `${cases.join('')}    ${patterns(free.map(({ place }) => place))}) ;;\n`
}

function wordCase({ command, path }: CommandPlace): string {
  const choices = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices)
  const options = [...command.options.map(({ long }) => long!), '--help']
  const words = command.commands.length > 0 ? command.commands.map((one) => one.name()) : [...choices, ...options]
  return `        '${path}') words='${words.join(' ')}' ;;\n`
}

function patterns(texts: readonly string[]): string {
  return texts.map((text) => `'${text}'`).join(' | ')
}
