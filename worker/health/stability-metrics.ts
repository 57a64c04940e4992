import { Gauge, type Registry } from 'prom-client'
import type { ScoreStability } from '../monitoring/score-stability.ts'

/** Adds the metrics of score stability. @returns a function that replaces them with those of these scorecards. */
export function openStabilityMetrics(registry: Registry): (measured: readonly ScoreStability[]) => void {
  const registers = [registry]
  const psi = new Gauge({
    name: 'inkling_score_psi',
    help: 'Population stability index (PSI) of the scores of yesterday against the expected distribution or the first 30 days: investigate from 0.10, shifted from 0.25; the same for every worker',
    labelNames: ['subscription', 'code', 'version'],
    registers,
  })
  const csi = new Gauge({
    name: 'inkling_score_csi',
    help: 'Characteristic stability index (CSI) of the bins of a characteristic, for the three characteristics of each scorecard with the largest shift',
    labelNames: ['subscription', 'code', 'version', 'characteristic'],
    registers,
  })
  return (measured) => {
    psi.reset()
    csi.reset()
    for (const { subscriptionId, code, version, psi: ofScores, characteristics } of measured) {
      const labels = { subscription: subscriptionId, code, version: version.slice(0, 12) }
      psi.set(labels, ofScores)
      for (const { name, csi: ofBins } of characteristics)
        csi.set({ ...labels, characteristic: name }, ofBins)
    }
  }
}
