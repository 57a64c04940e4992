import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { findFreePort } from '../../scripts/servers/find-free-port.ts'

/** Proxy between a process and a store, which can make the store unavailable. */
export interface TcpProxy {
  /** URL of the store through this proxy. */
  readonly url: string
  /** Ends all connections and refuses new ones, as if the store is down. */
  cut(): Promise<void>
  /** Keeps connections and accepts new ones, but forwards nothing, as if the network drops all packets. */
  freeze(): void
  /** Forwards requests to the store, but withholds its responses. */
  mute(): void
  /** Forwards nothing more on open connections; new ones work, as after a failover. */
  abandon(): void
  /** Forwards again, including the withheld data; to another store if one is given. */
  restore(storeUrl?: string): Promise<void>
}

/** Opens a proxy on a free port to the store at this URL; `cut` closes it. */
export async function openTcpProxy(storeUrl: string): Promise<TcpProxy> {
  let target = new URL(storeUrl)
  let frozen = false
  const sockets = new Set<Socket>()
  let muted = false
  const links = new Set<readonly [from: Socket, to: Socket]>()
  const stores = new Set<Socket>()
  const stall = () => {
    for (const [from, to] of links) from.unpipe(to).pause()
  }

  // Like the service's own sockets: without it each transaction waits 40 ms for a delayed acknowledgement.
  const server = createServer({ noDelay: true }, (client) => {
    const store = connect({ port: Number(target.port), host: target.hostname, noDelay: true })
    stores.add(store)
    store.on('close', () => stores.delete(store))
    for (const link of [[client, store] as const, [store, client] as const]) {
      const [from, to] = link
      links.add(link)
      sockets.add(from)
      from.on('error', () => undefined)
      from.on('close', () => {
        links.delete(link)
        sockets.delete(from)
        to.destroy()
      })
      if (!frozen && !(muted && from === store)) from.pipe(to)
    }
  })
  const port = await findFreePort()
  const listen = async () => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }

  await listen()
  const url = new URL(storeUrl)
  url.host = `127.0.0.1:${port}`
  return {
    url: url.href,
    async cut() {
      if (!server.listening) return
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
    freeze() {
      frozen = true
      stall()
    },
    mute() {
      muted = true
      for (const [from, to] of links) if (stores.has(from)) from.unpipe(to).pause()
    },
    abandon() {
      stall()
      links.clear()
    },
    async restore(otherUrl) {
      if (otherUrl !== undefined) target = new URL(otherUrl)
      frozen = false
      muted = false
      for (const [from, to] of links) from.pipe(to)
      if (!server.listening) await listen()
    },
  }
}
