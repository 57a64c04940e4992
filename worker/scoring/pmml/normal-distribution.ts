const SQRT_2PI = Math.sqrt(2 * Math.PI)

/**
 * The error function, to about 1e-15.
 *
 * @see Abramowitz and Stegun, 7.1.6 (series) and 7.1.14 (continued fraction of erfc)
 */
export function erf(x: number): number {
  const z = Math.abs(x)
  if (z > 6) return Math.sign(x)
  if (z < 2.5) {
    let term = z
    let sum = z
    for (let n = 1; term > sum * 1e-17 && n < 200; n++) {
      term *= (2 * z * z) / (2 * n + 1)
      sum += term
    }
    return Math.sign(x) * (2 / Math.sqrt(Math.PI)) * Math.exp(-z * z) * sum
  }
  return Math.sign(x) * (1 - erfc(z))
}

/** Complementary error function for z ≥ 2.5, accurate in the tail. */
function erfc(z: number): number {
  let fraction = z
  for (let k = 100; k > 0; k--) fraction = z + k / 2 / fraction
  return Math.exp(-z * z) / (Math.sqrt(Math.PI) * fraction)
}

export function normalDensity(x: number, mean = 0, deviation = 1): number {
  const z = (x - mean) / deviation
  return Math.exp((-z * z) / 2) / (deviation * SQRT_2PI)
}

export function normalCumulative(x: number, mean = 0, deviation = 1): number {
  const z = (x - mean) / deviation / Math.SQRT2
  if (z <= -2.5) return erfc(-z) / 2
  return (1 + erf(z)) / 2
}

/** Quantile function, by bisection; NaN unless 0 < share < 1. */
export function normalQuantile(share: number, mean = 0, deviation = 1): number {
  if (!(share > 0 && share < 1)) return Number.NaN
  let low = -40
  let high = 40
  for (let step = 0; step < 200 && low < high; step++) {
    const middle = (low + high) / 2
    if (middle === low || middle === high) break
    if (normalCumulative(middle) < share) low = middle
    else high = middle
  }
  return mean + deviation * ((low + high) / 2)
}
