import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A certificate that its own key has signed, so that it is its own authority. */
export interface Certificate {
  /** Paths of the PEM files. */
  readonly certificate: string
  readonly key: string
  /** The PEM. */
  readonly ca: string
}

/** Makes a certificate with openssl. @param name such as `DNS:redis.example` or `IP:127.0.0.1`. */
export async function makeCertificate(directory: string, name: string, days: number): Promise<Certificate> {
  const file = name.replace(/^.*:/, '')
  const [certificate, key] = [join(directory, `${file}.crt`), join(directory, `${file}.key`)]
  const request = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days ${days} -subj /CN=${file} -addext subjectAltName=${name}`
  execFileSync('openssl', [...request.split(' '), '-keyout', key, '-out', certificate], { stdio: 'ignore' })
  return { certificate, key, ca: await readFile(certificate, 'utf8') }
}
