import { ActionIcon, Avatar, Menu, Text, useMantineColorScheme } from '@mantine/core'
import {
  IconDeviceDesktop,
  IconFlask,
  IconLogout,
  IconMoon,
  IconSun,
  IconUser,
  IconUserCircle,
} from '@tabler/icons-react'
import { Link } from 'react-router'
import { useSession, useUser } from '../client/session.tsx'
import { zoneText } from '../parts/formats.ts'
import { USER_ROLE_LABELS } from '../parts/labels.ts'

const SCHEMES = [
  { value: 'light', label: 'Light', icon: IconSun },
  { value: 'dark', label: 'Dark', icon: IconMoon },
  { value: 'auto', label: 'System', icon: IconDeviceDesktop },
] as const

/** The signed-in user, with account, appearance and sign-out. */
export function UserMenu() {
  const { email, role, subscription } = useUser()
  const { signOut } = useSession()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Menu position="bottom-end" width={248}>
      <Menu.Target>
        <ActionIcon variant="subtle" size="lg" radius="xl" aria-label={`Account of ${email}`}>
          <Avatar size={32} radius="xl" color="ink" variant="light">
            <IconUser size={18} aria-hidden />
          </Avatar>
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={600} c="var(--mantine-color-text)" truncate title={email}>
            {email}
          </Text>
          <Text size="xs" truncate title={subscription}>
            {USER_ROLE_LABELS[role]} of {subscription}
          </Text>
          <Text size="xs">Times in {zoneText()}</Text>
        </Menu.Label>
        <Menu.Item component={Link} to="/account" leftSection={<IconUserCircle size={16} aria-hidden />}>
          Account and sessions
        </Menu.Item>
        <Menu.Item component={Link} to="/test" leftSection={<IconFlask size={16} aria-hidden />}>
          Test mode
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>Appearance</Menu.Label>
        {SCHEMES.map(({ value, label, icon: Icon }) => (
          <Menu.Item
            key={value}
            leftSection={<Icon size={16} aria-hidden />}
            onClick={() => setColorScheme(value)}
            rightSection={colorScheme === value ? '✓' : undefined}
            closeMenuOnClick={false}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={() => void signOut()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
