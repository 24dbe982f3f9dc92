import { javaScriptString, pythonString, shellWord } from './quoting.ts'

export interface Selection {
  /** Address of the gateway. */
  readonly url: string
  readonly topic: string
  /** Empty: all records. */
  readonly filter: string
  readonly view: 'canonical' | 'log'
  /** A position. Empty: the newest records, and then live ones. */
  readonly from: string
}

export type Language = 'sh' | 'js' | 'html' | 'py'

export interface Program {
  readonly title: string
  readonly note?: string
  readonly language: Language
  readonly text: string
}

export interface ProgramGroup {
  readonly name: string
  readonly title: string
  readonly programs: readonly Program[]
}

/** Programs that read what the reader of the page sees. `$KEY`, or `KEY` of the environment, is the place of the key. */
export function programsFor(selection: Selection): readonly ProgramGroup[] {
  return [
    { name: 'curl', title: 'curl', programs: curlPrograms(selection) },
    { name: 'js', title: 'JavaScript', programs: [clientProgram(selection)] },
    { name: 'python', title: 'Python', programs: pythonPrograms(selection) },
    { name: 'page', title: 'Web page', programs: [pageProgram(selection)] },
    { name: 'connector', title: 'connector', programs: connectorPrograms(selection) },
  ]
}

/** Where a stream begins. */
const start = ({ from }: Selection) => from || 'last:10'

function historyQuery({ filter, view, from }: Selection): [string, string][] {
  return [
    ...(from && from !== 'latest' ? [['from', from] as [string, string]] : []),
    ...(view === 'log' ? [['view', view] as [string, string]] : []),
    ...(filter ? [['filter', filter] as [string, string]] : []),
  ]
}

function streamQuery(selection: Selection): [string, string][] {
  const { topic, filter } = selection
  return [['topics', topic], ['from', start(selection)], ...(filter ? [['filter', filter] as [string, string]] : [])]
}

function curlPrograms(selection: Selection): Program[] {
  const { url, topic, from } = selection
  const data = `${url}/api/v1/data/${encodeURIComponent(topic)}`
  const order: [string, string] = ['order', from ? 'asc' : 'desc']
  const history = historyQuery(selection)
  return [
    {
      title: from ? 'A page of records, from the position on' : 'The newest ten records',
      language: 'sh',
      text: curl('-sG', data, [['limit', '10'], order, ...history]),
    },
    {
      title: 'All of them, one record per line',
      language: 'sh',
      text: curl('-sG', data, [['format', 'ndjson'], ['order', 'asc'], ...history]),
    },
    {
      title: 'Live, as Server-Sent Events',
      note: streamNote,
      language: 'sh',
      text: curl('-sNG', `${url}/sse/v1`, streamQuery(selection)),
    },
  ]
}

const streamNote = 'A stream has every record as it is published. A revert follows the record that it reverts.'

function curl(options: string, url: string, query: readonly [string, string][]): string {
  const lines = [
    `curl ${options} ${shellWord(url)}`,
    '-H "Authorization: Bearer $KEY"',
    ...query.map(([name, value]) => `--data-urlencode ${shellWord(`${name}=${value}`)}`),
  ]
  return lines.join(' \\\n  ')
}

function clientProgram(selection: Selection): Program {
  const { url, topic, filter, view } = selection
  const call = view === 'log' ? 'subscribe' : 'follow'
  const text = `import { createClient } from '@headrace/client'

const client = createClient({ url: ${javaScriptString(url)}, apiKey: process.env.KEY })

const batches = client.${call}({
  topics: [${javaScriptString(topic)}],
  from: ${javaScriptString(start(selection))},${filter && `\n  filter: ${javaScriptString(filter)},`}
})
for await (const { records, cursor } of batches) {
  for (const record of records)
    if (record.op === 'revert') console.log('reverted:', record.reverts)
    else console.log(record.seq, record.value)
  console.log('so far:', cursor)
}
`
  const note =
    view === 'log'
      ? 'subscribe yields every record as it was published, with reverts. Store the cursor, and pass it as from next time.'
      : 'follow yields the valid records, then new ones and reverts. Store the cursor, and pass it as from next time.'
  return { title: 'Read, and follow live: KEY=hr_… node read.mjs', note, language: 'js', text }
}

function pythonPrograms(selection: Selection): Program[] {
  const { url, topic } = selection
  const head = (imports: string) => `import json, os, ${imports}

url = ${pythonString(url)}
headers = {"Authorization": "Bearer " + os.environ["KEY"]}
`
  const history = [['order', 'asc'], ['limit', '1000'], ...historyQuery(selection)] as [string, string][]
  return [
    {
      title: 'All records: KEY=hr_… python3 read.py',
      language: 'py',
      text: `${head('urllib.parse, urllib.request')}path = "/api/v1/data/" + urllib.parse.quote(${pythonString(topic)}, safe="")
query = ${pythonDict(history)}

while True:
    address = url + path + "?" + urllib.parse.urlencode(query)
    with urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=60) as answer:
        page = json.load(answer)
    for record in page["data"]:
        print(record["op"], record["seq"], record["value"])
    if not page["hasMore"]:
        break
    query.pop("from", None)
    query["cursor"] = page["nextCursor"]
`,
    },
    {
      title: 'Live records: KEY=hr_… python3 live.py',
      note: streamNote,
      language: 'py',
      text: `${head('urllib.parse, urllib.request')}query = ${pythonDict(streamQuery(selection))}

address = url + "/sse/v1?" + urllib.parse.urlencode(query)
with urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=60) as stream:
    event = data = ""
    for line in stream:
        field, _, value = line.decode().rstrip("\\n").partition(": ")
        if field == "event":
            event = value
        elif field == "data":
            data = value
        elif line == b"\\n":
            if data and not event:
                record = json.loads(data)
                print(record["op"], record["seq"], record["value"], flush=True)
            event = data = ""
`,
    },
  ]
}

function pythonDict(query: readonly [string, string][]): string {
  return `{\n${query.map(([name, value]) => `    ${pythonString(name)}: ${pythonString(value)},\n`).join('')}}`
}

function pageProgram(selection: Selection): Program {
  const { url, topic } = selection
  const members = [...streamQuery(selection), ['api_key', '$KEY']]
  const query = members.map(([name, value]) => `    ${name}: ${javaScriptString(value!)},\n`).join('')
  const text = `<!doctype html>
<meta charset="utf-8">
<pre></pre>
<script type="module">
  const query = new URLSearchParams({
${query}  })
  const events = new EventSource(${javaScriptString(`${url}/sse/v1?`)} + query)
  events.onmessage = ({ data }) => {
    const { op, seq, reverts, value } = JSON.parse(data)
    const line = op === 'revert' ? \`reverted: \${reverts}\` : \`\${seq} \${JSON.stringify(value)}\`
    document.querySelector('pre').append(line, '\\n')
  }
</script>
`
  return {
    title: 'EventSource',
    note: `Everybody who opens the page can see the key. Create one for its origin and this topic only: connector keys create --name page --origin https://example.com --topics ${shellWord(topic)}`,
    language: 'html',
    text,
  }
}

function connectorPrograms(selection: Selection): Program[] {
  const { topic, from, filter } = selection
  const options = (list: readonly [string, string][]) => list.map(([name, value]) => ` --${name} ${shellWord(value)}`)
  const history = historyQuery(selection)
  const order: [string, string][] = from ? [['order', 'asc']] : []
  const stream: [string, string][] = [
    ['from', start(selection)],
    ...(filter ? [['filter', filter] as [string, string]] : []),
  ]
  const note = 'Reads the queue itself, without a gateway and without a key. --queue or HEADRACE_QUEUE names it.'
  return [
    {
      title: from ? 'Records from the position on' : 'The newest ten records',
      note,
      language: 'sh',
      text: ['connector read ', shellWord(topic), ...options([['limit', '10'], ...order, ...history])].join(''),
    },
    {
      title: 'Records as they are published',
      language: 'sh',
      text: ['connector tail ', shellWord(topic), ...options(stream)].join(''),
    },
  ]
}
