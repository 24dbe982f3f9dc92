import type pg from 'pg'

export interface Stored {
  readonly rows: number
  readonly transactions: number
  /** Between the first commit and the last one; without the rows of the first. */
  readonly rowsPerSecond: number
}

/** How fast a table was filled, by the times at which its rows were committed: the start of a program does not count. */
export async function readStored(client: pg.Client, table: string): Promise<Stored> {
  const { rows: commits } = await client.query<{ readonly rows: number; readonly ms: number }>(
    `select count(*)::int as rows, extract(epoch from pg_xact_commit_timestamp(xmin))::float8 * 1000 as ms
     from ${table} group by xmin order by ms`,
  )
  const [first, last] = [commits.at(0)!, commits.at(-1)!]
  const rows = commits.reduce((sum, commit) => sum + commit.rows, 0)
  const transactions = commits.length
  return { rows, transactions, rowsPerSecond: ((rows - first.rows) * 1000) / (last.ms - first.ms) }
}
