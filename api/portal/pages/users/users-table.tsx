import { ActionIcon, Badge, Group, Menu, Stack, Table, Text } from '@mantine/core'
import {
  IconCircleCheck,
  IconCircleOff,
  IconDots,
  IconLink,
  IconMail,
  IconShield,
  IconUser,
} from '@tabler/icons-react'
import { useUser } from '../../client/session.tsx'
import { TimeText } from '../../parts/time-text.tsx'
import { type Asked, ROLES, type User } from './asked.ts'
import styles from './users-table.module.css'

const STATES = {
  active: { label: 'Active', color: 'teal', icon: IconCircleCheck },
  invited: { label: 'Invited', color: 'blue', icon: IconMail },
  disabled: { label: 'Disabled', color: 'gray', icon: IconCircleOff },
} as const

export function UsersTable({ users, ask }: { users: readonly User[]; ask: (asked: Asked) => void }) {
  const { userId } = useUser()
  return (
    <Table verticalSpacing="sm" horizontalSpacing="md" className={styles.table ?? ''}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>User</Table.Th>
          <Table.Th visibleFrom="sm">Role</Table.Th>
          <Table.Th>State</Table.Th>
          <Table.Th visibleFrom="sm">Last log-in</Table.Th>
          <Table.Th>
            <span className={styles.unseen}>Actions</span>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {users.map((user) => (
          <Table.Tr key={user.id}>
            <Table.Td className={styles.email ?? ''}>
              <Stack gap={2}>
                <Text size="sm" fw={500}>
                  {user.userEmail}
                  {user.id === userId && (
                    <Text span size="xs" c="dimmed">
                      {' '}
                      you
                    </Text>
                  )}
                </Text>
                <Text size="xs" c="dimmed" hiddenFrom="sm">
                  {ROLES[user.role]}
                </Text>
              </Stack>
            </Table.Td>
            <Table.Td visibleFrom="sm">{ROLES[user.role]}</Table.Td>
            <Table.Td>
              <UserState user={user} />
            </Table.Td>
            <Table.Td visibleFrom="sm">
              {user.lastLoginAt === null ? (
                <Text size="sm" c="dimmed">
                  Never
                </Text>
              ) : (
                <TimeText at={user.lastLoginAt} since />
              )}
            </Table.Td>
            <Table.Td>
              <Group justify="flex-end">
                <UserActions user={user} isSelf={user.id === userId} ask={ask} />
              </Group>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

function UserState({ user }: { user: User }) {
  const { label, color, icon: Icon } = STATES[user.state]
  return (
    <Stack gap={2} align="flex-start">
      <Badge
        variant="light"
        color={color}
        tt="none"
        fw={600}
        miw="max-content"
        leftSection={<Icon size={13} aria-hidden />}
      >
        {label}
      </Badge>
      {user.state === 'invited' && user.linkExpiresAt === null && (
        <Text size="xs" c="dimmed">
          Link is too old
        </Text>
      )}
    </Stack>
  )
}

function UserActions({ user, isSelf, ask }: { user: User; isSelf: boolean; ask: (asked: Asked) => void }) {
  const other = user.role === 'admin' ? 'analyst' : 'admin'
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${user.userEmail}`}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={
            other === 'admin' ? <IconShield size={16} aria-hidden /> : <IconUser size={16} aria-hidden />
          }
          onClick={() => ask({ what: 'role', role: other, user })}
        >
          Make {other === 'admin' ? 'an admin' : 'an analyst'}
        </Menu.Item>
        {user.state !== 'disabled' && (
          <Menu.Item
            leftSection={<IconLink size={16} aria-hidden />}
            onClick={() => ask({ what: 'link', user })}
          >
            {user.state === 'invited' ? 'New invitation link' : 'Reset password'}
          </Menu.Item>
        )}
        <Menu.Divider />
        {user.state === 'disabled' ? (
          <Menu.Item
            leftSection={<IconCircleCheck size={16} aria-hidden />}
            onClick={() => ask({ what: 'enable', user })}
          >
            Enable
          </Menu.Item>
        ) : (
          <Menu.Item
            color="red"
            disabled={isSelf}
            leftSection={<IconCircleOff size={16} aria-hidden />}
            onClick={() => ask({ what: 'disable', user })}
          >
            Disable
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
