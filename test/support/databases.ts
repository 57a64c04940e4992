import pg from 'pg'

/** Creates an empty database, or a copy of another, on the server at this address. */
export async function createDatabase(serverUrl: string, name: string, template = 'template1'): Promise<void> {
  await query(
    serverUrl,
    `create database ${pg.escapeIdentifier(name)} template ${pg.escapeIdentifier(template)}`,
  )
}

/** Drops a database, after ending its open connections. */
export async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  await query(serverUrl, `drop database if exists ${pg.escapeIdentifier(name)} with (force)`)
}

async function query(url: string, sql: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
