import { SingleBar } from 'cli-progress'

let shown: SingleBar | undefined

export interface Progress {
  update(done: number): void
  /** Replaces the bar with a line that shows the duration. */
  finish(): void
  /** Removes the bar without a message. */
  abandon(): void
}

/** Shows a progress bar if `output` is a terminal; elsewhere only the final line. */
export function startProgress(
  verb: string,
  total: number,
  output: NodeJS.WritableStream = process.stderr,
): Progress {
  const startedAt = performance.now()
  const bar = new SingleBar({
    stream: output,
    format: `${verb.padEnd(10)} {bar} {value} of {total}`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 32,
    hideCursor: true,
    clearOnComplete: true,
    gracefulExit: false, // servers/process-group.ts handles signals
  })
  const close = () => {
    bar.stop()
    if (shown === bar) shown = undefined
  }
  bar.start(total, 0)
  shown = bar
  return {
    update: (done) => bar.update(done),
    abandon: close,
    finish() {
      close()
      const seconds = (performance.now() - startedAt) / 1_000
      output.write(
        `${verb} ${total} of ${total} in ${seconds.toFixed(1)} s (${Math.round(total / seconds)} a second)\n`,
      )
    },
  }
}

/** Removes the bar and restores the cursor. */
export function closeProgress(): void {
  shown?.stop()
  shown = undefined
}
