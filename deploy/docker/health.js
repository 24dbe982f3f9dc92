// Ends with 0 if the URL answers with success: the first argument, or the variable HEALTH_URL.
const url = process.argv[2] ?? process.env.HEALTH_URL
const answer = await fetch(url, { signal: AbortSignal.timeout(4000) }).catch((error) => {
  console.error(`${url}: ${error.cause?.message ?? error.message}`)
})
if (answer && !answer.ok) console.error(`${url}: HTTP ${answer.status}: ${await answer.text()}`)
process.exitCode = answer?.ok ? 0 : 1
