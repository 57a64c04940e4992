/** A file of an archive. */
export interface ArchivedFile {
  /** At most 100 bytes in ASCII. */
  readonly name: string
  readonly content: Buffer
}

const BLOCK = 512

/** A number as octal digits that end with a NUL, of `bytes` in all. */
const octal = (value: number, bytes: number) => `${value.toString(8).padStart(bytes - 1, '0')}\0`

/** The header of a file. @see POSIX.1-1988, ustar interchange format */
function headerOf({ name, content }: ArchivedFile, modifiedAt: Date): Buffer {
  if (!/^[\x21-\x7e]{1,100}$/.test(name)) throw new Error(`An archive cannot contain ${JSON.stringify(name)}`)
  const header = Buffer.alloc(BLOCK)
  header.write(name, 0, 'ascii')
  header.write(octal(0o600, 8), 100)
  header.write(octal(0, 8), 108)
  header.write(octal(0, 8), 116)
  header.write(octal(content.length, 12), 124)
  header.write(octal(Math.floor(modifiedAt.getTime() / 1_000), 12), 136)
  header.fill(' ', 148, 156) // the checksum counts itself as spaces
  header.write('0', 156)
  header.write('ustar\u000000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${octal(sum, 7)} `, 148)
  return header
}

/** Writes files as a tar archive; holds one of them at a time. */
export async function* writeTar(
  files: AsyncIterable<ArchivedFile>,
  modifiedAt: Date,
): AsyncGenerator<Buffer> {
  for await (const file of files) {
    yield headerOf(file, modifiedAt)
    yield file.content
    const rest = file.content.length % BLOCK
    if (rest > 0) yield Buffer.alloc(BLOCK - rest)
  }
  yield Buffer.alloc(2 * BLOCK)
}
