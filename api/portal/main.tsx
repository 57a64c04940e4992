import '@fontsource-variable/inter'
import '@mantine/core/styles.css'
import './shell/global.css'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { RouterProvider } from 'react-router'
import { openQueryClient } from './client/query-client.ts'
import { SessionProvider } from './client/session.tsx'
import { router } from './routes.tsx'
import { theme } from './shell/theme.ts'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no root')

/** Permits the style elements of the component library, and of its package that locks scrolling, which reads the global. */
const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? ''
Object.assign(globalThis, { __webpack_nonce__: nonce })

createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
      <QueryClientProvider client={openQueryClient()}>
        <SessionProvider>
          <RouterProvider router={router} />
        </SessionProvider>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
