import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/global-setup.ts',
    pool: 'forks',
    // vitest's default is one core less, though most files wait for processes that they started
    maxWorkers: Math.max(2, availableParallelism()),
    // some tests start a dozen processes one after the other, on machines that have little to spare
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000 } }, // vitest's second is short where two files start processes
    allowOnly: false,
  },
})
