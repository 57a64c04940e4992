import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compressFiles } from './build/compress-files.ts'
import { keepEarlierAssets } from './build/keep-earlier-assets.ts'
import { stylesheetsAfterShell } from './build/stylesheets-after-shell.ts'

/** Address of the API for `npm run dev:portal`: `INKLING_URL`, by default that of the demo. */
const api = process.env.INKLING_URL ?? 'http://localhost:3000'

/** Modules of the sign-in page: React, the router, the API's client, and form components. */
const BASE = [
  /node_modules[\\/](react|react-dom|scheduler|react-router|cookie|use-sync-external-store|set-cookie-parser|clsx|openapi-[\w-]+)[\\/]/,
  /node_modules[\\/](@tanstack[\\/](query-core|react-query)|@mantine[\\/](hooks|form))[\\/]/,
  /node_modules[\\/]@mantine[\\/]core[\\/]esm[\\/](core|utils)[\\/]/,
  /[\\/]components[\\/](ActionIcon|Alert|Anchor|Button|Center|CloseButton|Code|Group|Input|InputBase|Loader)[\\/]/,
  /[\\/]components[\\/](Paper|PasswordInput|Stack|Text|TextInput|Title|Transition|UnstyledButton)[\\/]/,
  /[\\/]Icon(AlertTriangle|InfoCircle)\b/,
  /vite[\\/]preload-helper/,
  /portal[\\/](client(?![\\/](cursor-paging|use-draft|use-features))|parts[\\/](error-state|page-header|use-countdown)|shell[\\/](logo|narrow-\w+|page-error|theme))\b/,
]

/** Chart packages: a third of all code, needed by few pages. */
const CHARTS =
  /node_modules[\\/](@mantine[\\/]charts|recharts|victory-vendor|@reduxjs|d3-[\w-]+|decimal\.js-light|es-toolkit|immer|react-redux|redux|reselect)[\\/]/

/** What calls the browser's passkeys, in a file of its own: the sign-in page loads it when somebody uses one. */
const PASSKEYS = /portal[\\/]parts[\\/]call-passkeys\b|node_modules[\\/]@simplewebauthn[\\/]/

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), stylesheetsAfterShell(), keepEarlierAssets(), compressFiles()],
  build: {
    ...{ outDir: 'dist', emptyOutDir: false, target: 'es2023', modulePreload: { polyfill: false } },
    // browsers with light-dark(): its polyfill ignores Mantine's colour schemes
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    cssCodeSplit: false,
    chunkSizeWarningLimit: 600,
    // without groups, each page would load dozens of files of some hundred bytes
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'base', test: (id) => BASE.some((one) => one.test(id)), priority: 4 },
            { name: 'passkeys', test: PASSKEYS, priority: 3 },
            { name: 'charts', test: CHARTS, priority: 1 },
            { name: 'shared', test: (id) => !CHARTS.test(id), minShareCount: 2, priority: 2 },
          ],
        },
      },
    },
  },
  server: {
    proxy: {
      '/api': api,
      '/v6.0': api,
      '/docs': api,
      '/problems': api,
      '/openapi.json': api,
      '/features': api,
    },
  },
})
