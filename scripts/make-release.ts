import { relative, resolve } from 'node:path'
import { Command } from 'commander'
import { explainError } from './cli/explain-error.ts'
import { printMessage } from './cli/print-message.ts'
import { writeRelease } from './release-files/write-release.ts'
import { acceptContract } from './versions/released.ts'

const HELP = `
Writes inkling-VERSION.tar (the sources), .cdx.json (a bill of materials in the format CycloneDX 1.6),
.licences.txt and SHA256SUMS. The files depend on the commit alone: to verify a release, check out its tag, run this
and compare SHA256SUMS.

Before that it writes docs/api/openapi-VERSION.json, the interface that later versions are compared with, and asks you to
commit it if it has changed. It refuses an interface with which clients of the last release may stop working.

Examples:
  scripts/make-release --tag
  scripts/make-release --output /tmp/again && diff /tmp/again/SHA256SUMS SHA256SUMS`

const project = resolve(import.meta.dirname, '..')
const { output, tag, acceptBreaks } = new Command('scripts/make-release')
  .description('Writes the files of a release of the checked-out commit.')
  .option('--output <directory>', 'directory of the files', '.data/release')
  .option('--tag', 'make the tag of the version; otherwise the commit must have it', false)
  .option('--accept-breaks', 'accept an interface that breaks clients of the last release', false)
  .addHelpText('after', HELP)
  .parse()
  .opts<{ output: string; tag: boolean; acceptBreaks: boolean }>()

try {
  await acceptContract(project, acceptBreaks)
  const release = await writeRelease({ project, output: resolve(output), tag })
  for (const file of release.files) process.stdout.write(`${relative(process.cwd(), file)}\n`)
  printMessage(`To publish: git push origin ${release.tag}, and attach the files.`)
} catch (error) {
  printMessage(explainError(error, process.env))
  process.exitCode = 1
}
