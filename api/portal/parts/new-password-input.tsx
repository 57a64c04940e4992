import { PasswordInput, type PasswordInputProps } from '@mantine/core'

/** Input for a new password. @see NewPassword in account-schemas.ts */
export const NewPasswordInput = (props: PasswordInputProps) => (
  <PasswordInput
    label="New password"
    description="At least 10 characters. Use a passphrase."
    required
    autoComplete="new-password"
    {...props}
  />
)
