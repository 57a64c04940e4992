import { once } from 'node:events'
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls, type DetailedPeerCertificate, type TLSSocket } from 'node:tls'

/** A server, and how a connection to it is encrypted. */
export interface TlsServer {
  readonly host: string
  readonly port: number
  /** Postgres is asked for TLS first. */
  readonly protocol: 'postgres' | 'tls'
  /** PEM of the certificate authority to trust, instead of the system's. */
  readonly ca?: string | undefined
}

/** The certificates that a server shows. */
export interface Chain {
  /** Why a client that verifies them rejects them, as a code of OpenSSL or Node.js; undefined if it accepts them. */
  readonly fault: string | undefined
  /** Whom the server's own certificate is for. */
  readonly names: string
  /** Who has signed it. */
  readonly issuer: string
  /** When the first certificate of the chain expires. */
  readonly expiresAt: Date
}

const TIMEOUT_MS = 5_000

/**
 * Reads the certificates of a server, also of one whose certificates are not accepted.
 *
 * @returns undefined if it is a Postgres without TLS.
 * @throws when there is no connection within 5 s.
 */
export async function readChain({ host, port, protocol, ca }: TlsServer): Promise<Chain | undefined> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const socket = connect({ host, port })
  try {
    await once(socket, 'connect', { signal })
    if (protocol === 'postgres' && !(await requestTls(socket, signal))) return undefined
    const secure = connectTls({
      socket,
      host, // the name that the certificate must have
      ...(isIP(host) === 0 && { servername: host }),
      rejectUnauthorized: false,
      ...(ca !== undefined && { ca }),
    })
    await once(secure, 'secureConnect', { signal })
    return describeChain(secure)
  } finally {
    socket.destroy()
  }
}

/** @see PostgreSQL manual, "Message Formats", SSLRequest */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

async function requestTls(socket: Socket, signal: AbortSignal): Promise<boolean> {
  socket.write(SSL_REQUEST)
  const [answer] = await once(socket, 'data', { signal })
  return String(answer) === 'S'
}

function describeChain(socket: TLSSocket): Chain {
  const certificate = socket.getPeerCertificate(true)
  const expiries = listChain(certificate).map(({ valid_to }) => new Date(valid_to).getTime())
  return {
    fault: socket.authorized ? undefined : String(socket.authorizationError),
    names: certificate.subjectaltname ?? nameOf(certificate.subject),
    issuer: nameOf(certificate.issuer),
    expiresAt: new Date(Math.min(...expiries)),
  }
}

/** From the server's own certificate to the last that it has sent or this machine knows, whose issuer is itself. */
function listChain(first: DetailedPeerCertificate): DetailedPeerCertificate[] {
  const chain = [first]
  for (let next = first.issuerCertificate; next && !chain.includes(next); next = next.issuerCertificate)
    chain.push(next)
  return chain
}

function nameOf(name: DetailedPeerCertificate['subject'] | undefined): string {
  const [common] = [name?.CN, name?.O].flat().filter(Boolean)
  return common ?? 'without a name'
}
