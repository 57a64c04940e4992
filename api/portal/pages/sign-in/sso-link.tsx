import { Anchor } from '@mantine/core'

/** Where a user signs in whose password is off. */
export const SsoLink = ({ href }: { href: string }) => (
  <>
    Passwords are off for your e-mail domain.{' '}
    <Anchor href={href}>Go to the sign-in of your organisation</Anchor>
  </>
)
