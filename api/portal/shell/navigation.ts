import {
  type Icon,
  IconActivity,
  IconDatabase,
  IconHistory,
  IconKey,
  IconRocket,
  IconScale,
  IconShieldLock,
  IconUserShield,
  IconUsers,
} from '@tabler/icons-react'

export interface NavigationEntry {
  readonly to: string
  readonly label: string
  readonly icon: Icon
  /** Shown to admins only; the API rejects other users in any case. */
  readonly admin: boolean
}

/** The entries of the menu, in order. */
export const NAVIGATION: readonly NavigationEntry[] = [
  { to: '/datasets', label: 'Datasets', icon: IconDatabase, admin: false },
  { to: '/start', label: 'Get started', icon: IconRocket, admin: false },
  { to: '/scorecards', label: 'Scorecards', icon: IconScale, admin: false },
  { to: '/keys', label: 'API keys', icon: IconKey, admin: true },
  { to: '/users', label: 'Users', icon: IconUsers, admin: true },
  { to: '/security', label: 'Security', icon: IconShieldLock, admin: true },
  { to: '/privacy', label: 'Privacy', icon: IconUserShield, admin: true },
  { to: '/pipeline', label: 'Pipeline', icon: IconActivity, admin: false },
  { to: '/audit', label: 'Audit log', icon: IconHistory, admin: true },
]
