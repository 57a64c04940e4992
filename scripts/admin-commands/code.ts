import { WrongUsage } from './refusal.ts'

/** A code for a scorecard or fragment: what clients read it by. @throws WrongUsage for what would be a nuisance in a URL. */
export function requireCode(code: string): string {
  if (!/^[\w.-]{1,100}$/.test(code))
    throw new WrongUsage(
      `The code ${JSON.stringify(code)} must be 1 to 100 letters, digits, and the marks _ . -`,
    )
  return code
}
