import { Button, Group } from '@mantine/core'
import { NavLink, useLocation } from 'react-router'

/** A page beside others under one entry of the menu. */
interface PageTab {
  readonly to: string
  readonly label: string
}

/** Links between the pages under one entry of the menu. */
export function PageTabs({ label, tabs }: { label: string; tabs: readonly PageTab[] }) {
  const { pathname } = useLocation()
  return (
    <Group component="nav" aria-label={label} gap="xs" mb="md">
      {tabs.map(({ to, label }) => (
        <Button
          key={to}
          component={NavLink}
          to={to}
          end
          size="compact-md"
          variant={pathname === to ? 'light' : 'subtle'}
        >
          {label}
        </Button>
      ))}
    </Group>
  )
}
