import { PageTabs } from '../../parts/page-tabs.tsx'

const TABS = [
  { to: '/start', label: 'From a backend' },
  { to: '/start/browser', label: 'From a browser' },
]

/** Links between the instructions for backends and for pages. */
export const StartTabs = () => <PageTabs label="Sources of datasets" tabs={TABS} />
