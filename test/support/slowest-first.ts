import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import slowFiles from './slow-files.json' with { type: 'json' }
import { PROJECT } from './start-process.ts'

const SECONDS: Readonly<Record<string, number>> = slowFiles

/**
 * Starts the slowest files first, so that no core is idle while the last one runs. The seconds in slow-files.json were
 * measured in a whole run: only their order counts, and files that are not listed are faster than the listed ones.
 */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted(
      (a, b) =>
        groupOf(a) - groupOf(b) ||
        // a worker is reused only for the next file of the same project
        projectOf(a) - projectOf(b) ||
        secondsOf(b) - secondsOf(a),
    )
  }
}

/** Projects in the order of the configuration. */
const projectOf = ({ project }: TestSpecification) => project.vitest.projects.indexOf(project)

const groupOf = ({ project }: TestSpecification) => project.config.sequence.groupOrder

const secondsOf = ({ moduleId }: TestSpecification) =>
  SECONDS[relative(PROJECT, moduleId).replaceAll('\\', '/')] ?? 0
