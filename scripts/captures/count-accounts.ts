import type { Capture } from '../../db/capture/capture.ts'
import type { Random } from './random.ts'

/** Account types that apps add, by app, with the share of its users who have one. */
const TYPE_OF_APP: readonly (readonly [packageName: string, accountType: string, share: number])[] = [
  ['com.whatsapp', 'com.whatsapp', 0.95],
  ['com.facebook.katana', 'com.facebook.auth.login', 0.6],
  ['com.facebook.orca', 'com.facebook.messenger', 0.4],
  ['org.telegram.messenger', 'org.telegram.messenger', 0.9],
  ['com.zing.zalo', 'com.zing.zalo', 0.8],
  ['com.viber.voip', 'com.viber.voip', 0.9],
  ['com.truecaller', 'com.truecaller.account', 0.7],
  ['com.linkedin.android', 'com.linkedin.android', 0.8],
  ['com.twitter.android', 'com.twitter.android.auth.login', 0.8],
  ['com.microsoft.office.outlook', 'com.microsoft.office.outlook.USER_ACCOUNT', 0.8],
  ['com.dropbox.android', 'com.dropbox.android.account', 0.8],
]

/** Account types of the manufacturers. */
const TYPE_OF_BRAND: Readonly<Record<string, string>> = {
  samsung: 'com.osp.app.signin',
  Redmi: 'com.xiaomi',
  POCO: 'com.xiaomi',
  Xiaomi: 'com.xiaomi',
  OPPO: 'com.oppo.usercenter',
  realme: 'com.oppo.usercenter',
  vivo: 'BBKOnLineService',
}

/** Counts the accounts on a phone: those of Google, its manufacturer and its apps. */
export function countAccounts(
  random: Random,
  brand: string,
  apps: readonly { readonly package: string }[],
): NonNullable<Capture['accounts']> {
  const byType: Record<string, number> = {
    'com.google': 1 + Number(random.chance(0.4)) + Number(random.chance(0.1)),
  }
  const makers = TYPE_OF_BRAND[brand]
  if (makers !== undefined && random.chance(0.5)) byType[makers] = 1
  const installed = new Set(apps.map((app) => app.package))
  for (const [packageName, type, share] of TYPE_OF_APP) {
    if (random.chance(share) && installed.has(packageName)) byType[type] = 1
  }
  return { count: Object.values(byType).reduce((sum, one) => sum + one, 0), byType }
}
