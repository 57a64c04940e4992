import { availableParallelism } from 'node:os'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { COMPILE_CACHE } from './test/support/compile-cache.ts'
import { SlowestFirst } from './test/support/slowest-first.ts'

// Every Node process that the tests start compiles our TypeScript and its packages, half of the processor time of a start;
// with this cache it does so once a run. Workers of Vitest and their child processes inherit the variable.
process.env.NODE_COMPILE_CACHE = COMPILE_CACHE

/** Files at the same time, one more than cores: they wait for processes, timeouts and stores for a part of their time. */
const WORKERS = 1 + Math.max(2, availableParallelism())
/** The same for files that measure time or memory, or fill the processor themselves. */
const TIMED_WORKERS = Math.max(2, availableParallelism())

/** Tests that measure the durations or the memory of one process, or fill the processor. They run last. */
const TIMED = [
  'test/faults/{connection-flood,fuzz-decoder,hostile-http}.test.ts',
  'test/processes/login-flood.test.ts',
  'test/portal/{first-paint,long-list}.test.ts',
]
/** Tests in a browser: of the portal, and of the capture SDK. */
const BROWSER = ['test/portal/*.test.ts', 'test/sdk/*.test.ts', 'test/api/sdk/in-chromium.test.ts']
/** Tests that start processes, and mostly wait for them. */
const PROCESSES = [
  'test/{deploy,faults,processes,scripts}/*.test.ts',
  'test/db/migrate.test.ts',
  'test/unused.test.ts',
]
/** Everything else, in the process of the test: pure functions, and the service on real stores. */
const IN_PROCESS = ['test/**/*.test.ts']

const project = (
  name: string,
  include: string[],
  options: TestProjectInlineConfiguration['test'] & { exclude?: string[] } = {},
): TestProjectInlineConfiguration => ({
  test: {
    name,
    include,
    pool: 'forks',
    // files share the modules of a worker: to load them costs 0.4 to 1 s of processor time, and a browser 1.5 s
    isolate: false,
    maxWorkers: WORKERS,
    // some tests start a dozen processes one after the other, on machines that have little to spare
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } }, // vitest's second is short where several files start processes
    allowOnly: false,
    ...options,
  },
})

export default defineConfig({
  test: {
    globalSetup: 'test/global-setup.ts',
    sequence: { sequencer: SlowestFirst },
    projects: [
      project('processes', PROCESSES, { exclude: TIMED }),
      project('browser', BROWSER, { exclude: TIMED }),
      project('in-process', IN_PROCESS, { exclude: [...TIMED, ...BROWSER, ...PROCESSES] }),
      project('timed', TIMED, { isolate: true, maxWorkers: TIMED_WORKERS, sequence: { groupOrder: 1 } }),
    ],
  },
})
