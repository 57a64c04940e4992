import { type AlterTableCmd, type Constraint, loadModule, type Node, parseSync } from 'libpg-query'

await loadModule()

/** What is known about the database before a migration; `findDangers` adds what the migration makes. */
export interface Schema {
  readonly tables: Set<string>
  /** Checks that a column is not null which are not validated yet: their names, and columns as `table.column`. */
  readonly checks: Map<string, string>
  /** Columns as `table.column` that a validated check proves to be not null. */
  readonly proven: Set<string>
  /** Names of functions whose result differs from call to call. */
  readonly volatileFunctions: ReadonlySet<string>
  /** Tables whose rows are few, however many datasets there are; every other table grows. */
  readonly small: ReadonlySet<string>
}

/** How a migration runs. */
export interface MigrationKind {
  /** Whether it runs once no process of an earlier version is connected, and may remove what those use. */
  readonly isDeferred: boolean
  /** Whether it runs in one transaction, which holds its locks to the end. */
  readonly isTransaction: boolean
}

/**
 * Returns what would block or break the processes that run beside a migration:
 *
 * - work that takes longer with each row, under a lock that blocks reads or writes: indexes that are not built concurrently, rewritten tables,
 *   constraints that are checked at once, changes of rows;
 * - what a process of the version before may use, and is removed, renamed or required.
 *
 * Tables that the migration itself creates are free: nobody uses them, and they are empty.
 *
 * @throws SqlError if Postgres would not parse a statement.
 * @see docs/decisions/0030-upgrades.md
 */
export function findDangers(statements: readonly string[], schema: Schema, kind: MigrationKind): string[] {
  const { tables, checks, proven, volatileFunctions, small } = schema
  const before = new Set(tables)
  const made = new Set<string>()
  const dangers: string[] = []

  const exists = (table: string) => before.has(table)
  const grows = (table: string) => exists(table) && !small.has(table)

  function readConstraint(table: string, constraint: Constraint, column?: string): void {
    const { contype, skip_validation: later, indexname, raw_expr, conname = '' } = constraint
    const of = column === undefined ? table : `${table}.${column}`
    if (conname !== '') made.add(conname)
    const required = notNullColumn(raw_expr)
    if (contype === 'CONSTR_CHECK' && later && required !== undefined)
      checks.set(conname, `${table}.${required}`)
    if (!grows(table)) return
    if (contype === 'CONSTR_CHECK' && !later) dangers.push(`checks all rows of ${of} under a lock`)
    if (contype === 'CONSTR_FOREIGN' && !later && column === undefined)
      dangers.push(`checks all references of ${of} under a lock`)
    if (contype === 'CONSTR_UNIQUE' || contype === 'CONSTR_PRIMARY') {
      if (indexname === undefined) dangers.push(`builds a unique index on ${of} under a lock`)
    }
    if (contype === 'CONSTR_EXCLUSION') dangers.push(`builds an index on ${of} under a lock`)
  }

  function readColumn(table: string, { def }: AlterTableCmd): void {
    if (!def || !('ColumnDef' in def) || !exists(table)) return
    const { colname = '', constraints = [] } = def.ColumnDef
    const all = constraints.flatMap((one) => ('Constraint' in one ? [one.Constraint] : []))
    const has = (contype: Constraint['contype']) => all.find((one) => one.contype === contype)
    const value = has('CONSTR_DEFAULT')
    const computed = has('CONSTR_GENERATED')?.generated_kind !== 'v' && has('CONSTR_GENERATED')
    if (has('CONSTR_NOTNULL') && !value && !computed && !has('CONSTR_IDENTITY'))
      dangers.push(`requires ${table}.${colname}, which the version before does not write`)
    if (grows(table)) {
      const called = value
        ? functionsIn(value.raw_expr).find((name) => volatileFunctions.has(name))
        : undefined
      if (called !== undefined) dangers.push(`rewrites ${table}: ${colname} is ${called}() of each row`)
      if (computed || has('CONSTR_IDENTITY')) dangers.push(`rewrites ${table}: ${colname} is generated`)
    }
    for (const one of all) readConstraint(table, one, colname)
  }

  function readAlter(table: string, command: AlterTableCmd): void {
    const { subtype, name = '', def } = command
    const constraint = def && 'Constraint' in def ? def.Constraint : undefined
    if (subtype === 'AT_AddColumn') readColumn(table, command)
    if (subtype === 'AT_AddConstraint' && constraint) readConstraint(table, constraint)
    if (subtype === 'AT_ValidateConstraint') {
      const column = checks.get(name)
      if (kind.isTransaction && made.has(name))
        dangers.push(`validates ${name} under the lock of adding it: do so in a later migration`)
      if (column !== undefined) proven.add(column)
    }
    if (subtype === 'AT_SetNotNull' && grows(table) && !proven.has(`${table}.${name}`))
      dangers.push(`checks all rows of ${table}.${name} under a lock: validate a check first`)
    if (subtype === 'AT_AlterColumnType' && exists(table))
      dangers.push(`changes the type of ${table}.${name}`)
    if (subtype === 'AT_DropColumn' && exists(table)) remove(`the column ${table}.${name}`)
    if (subtype === 'AT_DropConstraint' && exists(table) && !made.has(name)) remove(`the constraint ${name}`)
    if (REWRITES.includes(String(subtype)) && grows(table)) dangers.push(`rewrites ${table}`)
  }

  function remove(what: string): void {
    if (!kind.isDeferred) dangers.push(`removes ${what}, which the version before may use`)
  }

  function read(node: Node): void {
    if ('CreateStmt' in node) {
      const { relation } = node.CreateStmt
      // one that exists was made by an interrupted run of the same migration
      tables.add(relation?.relname ?? '')
    }
    if ('CreateFunctionStmt' in node || 'DefineStmt' in node) {
      const names =
        'DefineStmt' in node
          ? node.DefineStmt.defnames
          : (node as { CreateFunctionStmt: { funcname?: Node[] } }).CreateFunctionStmt.funcname
      made.add(namesIn(names).at(-1) ?? '')
    }
    if ('CreateTrigStmt' in node) made.add(node.CreateTrigStmt.trigname ?? '')
    if ('IndexStmt' in node) {
      const { idxname = '', relation, concurrent } = node.IndexStmt
      const table = relation?.relname ?? ''
      made.add(idxname)
      if (grows(table) && !concurrent)
        dangers.push(`builds ${idxname} on ${table} under a lock: use concurrently`)
    }
    if ('AlterTableStmt' in node)
      for (const one of node.AlterTableStmt.cmds ?? [])
        if ('AlterTableCmd' in one) readAlter(node.AlterTableStmt.relation?.relname ?? '', one.AlterTableCmd)
    if ('RenameStmt' in node && exists(node.RenameStmt.relation?.relname ?? ''))
      dangers.push(
        `renames ${node.RenameStmt.subname ?? node.RenameStmt.relation?.relname}, which the version before uses`,
      )
    if ('DropStmt' in node) {
      const { objects = [], removeType, concurrent } = node.DropStmt
      const type = String(removeType).replace('OBJECT_', '').toLowerCase()
      for (const object of objects) {
        const name = nameOf(object)
        if (made.has(name) || (tables.has(name) && !exists(name))) continue
        remove(`the ${type} ${name}`)
        if (type === 'index' && !concurrent) dangers.push(`drops ${name} under a lock: use concurrently`)
      }
    }
    if ('LockStmt' in node) {
      const names = namesIn(node.LockStmt.relations).filter(exists)
      if (names.length > 0) dangers.push(`locks ${names.join(', ')}`)
    }
    const changed =
      'UpdateStmt' in node
        ? node.UpdateStmt.relation
        : 'DeleteStmt' in node
          ? node.DeleteStmt.relation
          : undefined
    if (changed && grows(changed.relname ?? ''))
      dangers.push(`changes rows of ${changed.relname}: let a worker do so, in steps`)
    if ('InsertStmt' in node)
      for (const table of new Set(
        tablesIn([node.InsertStmt.selectStmt, node.InsertStmt.withClause]).filter(grows),
      ))
        dangers.push(`copies rows of ${table}: let a worker do so, in steps`)
    if ('TruncateStmt' in node)
      for (const table of namesIn(node.TruncateStmt.relations).filter(exists))
        dangers.push(`empties ${table}`)
    if ('VacuumStmt' in node && node.VacuumStmt.is_vacuumcmd) dangers.push('vacuums')
    if ('ClusterStmt' in node) dangers.push('rewrites a table by cluster')
    if ('ReindexStmt' in node) dangers.push('builds an index again')
    if ('DoStmt' in node) dangers.push('runs code that this check cannot read')
  }

  for (const text of statements) for (const { stmt } of parseSync(text).stmts ?? []) if (stmt) read(stmt)
  return dangers
}

const REWRITES = [
  'AT_SetLogged',
  'AT_SetUnLogged',
  'AT_SetTableSpace',
  'AT_SetAccessMethod',
  'AT_SetExpression',
]

/** The column of `check (column is not null)`. */
function notNullColumn(node: Node | undefined): string | undefined {
  if (!node || !('NullTest' in node) || node.NullTest.nulltesttype !== 'IS_NOT_NULL') return undefined
  const { arg } = node.NullTest
  return arg && 'ColumnRef' in arg ? namesIn(arg.ColumnRef.fields).at(-1) : undefined
}

/** The last name of a list of names, such as `public.datasets`; of a function without its arguments. */
function nameOf(node: Node): string {
  if ('List' in node) return namesIn(node.List.items).at(-1) ?? ''
  if ('ObjectWithArgs' in node) return namesIn(node.ObjectWithArgs.objname).at(-1) ?? ''
  return namesIn([node]).at(-1) ?? ''
}

const namesIn = (nodes: readonly Node[] | undefined): string[] =>
  (nodes ?? []).flatMap((node) =>
    'String' in node ? [node.String.sval ?? ''] : 'RangeVar' in node ? [node.RangeVar.relname ?? ''] : [],
  )

const functionsIn = (part: unknown): string[] =>
  found(part, 'FuncCall').map((call) => namesIn((call as { funcname?: Node[] }).funcname).at(-1) ?? '')

const tablesIn = (part: unknown): string[] =>
  found(part, 'RangeVar').map((table) => (table as { relname?: string }).relname ?? '')

/** Every node of a kind within a part of a tree. */
function found(part: unknown, kind: string): unknown[] {
  if (Array.isArray(part)) return part.flatMap((one) => found(one, kind))
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([name, value]) => [
    ...(name === kind ? [value] : []),
    ...found(value, kind),
  ])
}
