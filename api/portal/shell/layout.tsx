import '@mantine/notifications/styles.css'
import { AppShell, Box, Burger, Group, NavLink, Skeleton, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Notifications } from '@mantine/notifications'
import { lazy, Suspense, useEffect, useRef } from 'react'
import { Link, Outlet, NavLink as RouterNavLink, ScrollRestoration, useLocation } from 'react-router'
import { isTestMode } from '../client/mode.ts'
import { useUser } from '../client/session.tsx'
import { IdleWarning } from './idle-warning.tsx'
import styles from './layout.module.css'
import { Logo } from './logo.tsx'
import { NAVIGATION } from './navigation.ts'
import { OfflineNotice } from './offline-notice.tsx'
import { StepUpDialog } from './step-up-dialog.tsx'
import { UserMenu } from './user-menu.tsx'

const TestModeNotice = lazy(async () => ({
  default: (await import('./test-mode-notice.tsx')).TestModeNotice,
}))

/** The frame of all pages for signed-in users: menu, subscription, user. */
export function Layout() {
  const [opened, { toggle, close }] = useDisclosure(false)
  const { role, subscription } = useUser()
  const { pathname } = useLocation()
  const main = useRef<HTMLElement>(null)
  const first = useRef(true)

  useEffect(() => {
    if (first.current) {
      first.current = false
      return
    }
    close()
    if (pathname) main.current?.focus({ preventScroll: true }) // screen readers continue in the new page
  }, [pathname, close])

  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={{ base: 'md', sm: 'xl' }}
    >
      <a href="#main" className={styles.skip}>
        Skip to content
      </a>
      <ScrollRestoration />
      <IdleWarning />
      <StepUpDialog />
      <Notifications position="bottom-right" />
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={opened ? 'Close menu' : 'Open menu'}
            />
            <Box component={Link} to="/datasets" c="inherit" td="none" aria-label="Inkling, datasets">
              <Logo />
            </Box>
          </Group>
          <Group gap="md" wrap="nowrap" miw={0}>
            <Text size="sm" c="dimmed" truncate visibleFrom="xs" maw="18rem" title={subscription}>
              {subscription}
            </Text>
            <UserMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label="Pages">
        <Stack gap={2}>
          {NAVIGATION.filter(({ admin }) => !admin || role === 'admin').map(({ to, label, icon: Icon }) => (
            <NavLink
              key={to}
              component={RouterNavLink}
              to={to}
              label={label}
              leftSection={<Icon size={18} stroke={1.7} aria-hidden />}
              active={pathname === to || pathname.startsWith(`${to}/`)}
              className={styles.link ?? ''}
            />
          ))}
        </Stack>
      </AppShell.Navbar>
      <AppShell.Main
        id="main"
        ref={main}
        tabIndex={-1}
        className={styles.main ?? ''}
        style={{ outline: 'none' }}
      >
        <div className={styles.page}>
          <OfflineNotice />
          {isTestMode && (
            <Suspense>
              <TestModeNotice />
            </Suspense>
          )}
          <Suspense fallback={<Skeleton height={32} width="12rem" />}>
            <Outlet />
          </Suspense>
        </div>
      </AppShell.Main>
    </AppShell>
  )
}
