import { PageTabs } from '../../parts/page-tabs.tsx'

const TABS = [
  { to: '/keys', label: 'API keys' },
  { to: '/keys/site', label: 'Site keys' },
  { to: '/keys/webhooks', label: 'Webhooks' },
  { to: '/keys/limits', label: 'Limits' },
]

/** Links between the lists of API keys and of site keys, and their limits. */
export const KeyTabs = () => <PageTabs label="Kinds of keys" tabs={TABS} />
