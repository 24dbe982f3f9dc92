export interface TryItOptions {
  readonly gatewayUrl: string
  readonly key: string
  readonly topic: string
}

/** Commands to paste into another terminal. */
export function tryItLines({ gatewayUrl, key, topic }: TryItOptions): string {
  const socketUrl = `${gatewayUrl.replace(/^http/, 'ws')}/ws/v1?api_key=${key}`
  const subscribe = `JSON.stringify({jsonrpc:'2.0',id:1,method:'subscribe',params:{topics:['${topic}']}})`
  const script = [
    `const socket=new WebSocket('${socketUrl}')`,
    `socket.onopen=()=>socket.send(${subscribe})`,
    'socket.onmessage=({data})=>console.log(data)',
  ].join(';')
  return `
Key    ${key}

Paste a command into another terminal. Ctrl-C here ends the demo.

REST, the newest block:
curl -s '${gatewayUrl}/api/v1/data/${topic}?limit=1' -H 'Authorization: Bearer ${key}'

Server-Sent Events, blocks as they arrive:
curl -sN '${gatewayUrl}/sse/v1?topics=${topic}' -H 'Authorization: Bearer ${key}'

WebSocket, the same:
'${process.execPath}' -e "${script}"
`
}
