export interface Lines {
  write(lines: string): void
}

const groupCharacters = 8192
const groupMs = 100

/**
 * Writes JSON lines of pino in groups: each write is a system call, and a gateway logs each request. A group is written
 * after 100 ms at the latest, at the exit of the process, and with a warning or an error.
 */
export function createGroupedLines(destination: Lines): Lines {
  let group = ''
  let timer: NodeJS.Timeout | undefined
  process.on('exit', flush)
  return {
    write(line) {
      group += line
      if (group.length >= groupCharacters || isUrgent(line)) flush()
      else timer ??= setTimeout(flush, groupMs).unref()
    },
  }

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    if (group === '') return
    const lines = group
    group = ''
    destination.write(lines)
  }
}

/** The level comes first: 40 is a warning. */
function isUrgent(line: string): boolean {
  return !line.startsWith('{"level":30,') && !/^\{"level":[12]0,/.test(line)
}
