import type { ReactNode } from 'react'
import { useUser } from '../client/session.tsx'

/** Shows actions to admins only. The API rejects them for other users in any case. */
export const AdminOnly = ({ children }: { children: ReactNode }) =>
  useUser().role === 'admin' ? children : null
