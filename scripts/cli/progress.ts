import { SingleBar } from 'cli-progress'
import { printMessage } from './print-message.ts'

let shown: SingleBar | undefined

export interface Progress {
  update(done: number): void
  /** Replaces the bar by a line that says how long it took. */
  finish(): void
  /** Takes the bar away without a word. */
  abandon(): void
}

/** A bar on a terminal, else nothing but the line at the end. */
export function startProgress(verb: string, total: number): Progress {
  const startedAt = performance.now()
  const bar = new SingleBar({
    format: `${verb.padEnd(10)} {bar} {value} of {total}`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 32,
    hideCursor: true,
    clearOnComplete: true,
    gracefulExit: false, // signals are the business of servers/process-group.ts
  })
  bar.start(total, 0)
  shown = bar
  return {
    update: (done) => bar.update(done),
    abandon: closeProgress,
    finish() {
      closeProgress()
      const seconds = (performance.now() - startedAt) / 1_000
      printMessage(
        `${verb} ${total} of ${total} in ${seconds.toFixed(1)} s (${Math.round(total / seconds)} a second)`,
      )
    },
  }
}

/** Gives the terminal its cursor back. */
export function closeProgress(): void {
  shown?.stop()
  shown = undefined
}
