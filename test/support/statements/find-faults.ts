import {
  loadModule,
  type Node,
  parseSync,
  type RangeVar,
  type SelectStmt,
  type WithClause,
} from 'libpg-query'

await loadModule()

/** The tables that the rules are about, from the catalog of a migrated database. */
export interface Catalog {
  /** Columns of each table. */
  readonly columns: ReadonlyMap<string, ReadonlySet<string>>
  /** Names of functions whose result differs from call to call, such as `clock_timestamp`. */
  readonly volatileFunctions: ReadonlySet<string>
  /** Tables that are distributed by their subscription. */
  readonly distributed: ReadonlySet<string>
}

/** The column by which tables are distributed. */
const KEY = 'subscription_id'

/** In place of all parameters and constants, which are equal to the column on one node at most. */
const CONSTANT = 'constant'

/** The columns of a relation, each with the name of its value; equal values have joined names. */
interface Relation {
  readonly name: string
  find(column: string): string | undefined
  /** What `*` stands for, as far as the rules need it. */
  list(): readonly Column[]
}

interface Column {
  readonly name: string | undefined
  readonly value: string
}

interface Scope {
  readonly parent: Scope | undefined
  readonly relations: Relation[]
  readonly queries: Map<string, readonly Column[]>
}

/**
 * Returns how a statement breaks the rules of tables that are distributed by subscription: each reference to one is restricted to one
 * subscription, by a parameter or a constant, or by being equal to a column that is; no row is named by its place on the disk; and no change
 * of one calls a volatile function, which each node would answer differently.
 *
 * @throws SqlError if Postgres would not parse it.
 */
export function findFaults(text: string, { columns, volatileFunctions, distributed }: Catalog): string[] {
  const joined = new Map<string, string>()
  const references: { readonly table: string; readonly value: string }[] = []
  const faults = new Set<string>()
  let values = 0
  let places = false

  const newValue = () => `value ${++values}`

  function rootOf(value: string): string {
    const next = joined.get(value)
    return next === undefined ? value : rootOf(next)
  }

  function equate(left: string | undefined, right: string | undefined): void {
    if (left === undefined || right === undefined) return
    const [from, to] = [rootOf(left), rootOf(right)]
    if (from === to) return
    if (from === CONSTANT) joined.set(to, from)
    else joined.set(from, to)
  }

  function openTable({ relname = '', alias }: RangeVar): Relation {
    const own = new Map<string, string>()
    const known = columns.get(relname)
    const find = (column: string) => {
      if (known && !known.has(column)) return undefined
      const value = own.get(column) ?? newValue()
      own.set(column, value)
      return value
    }
    if (distributed.has(relname)) references.push({ table: relname, value: find(KEY) ?? newValue() })
    return {
      name: alias?.aliasname ?? relname,
      find,
      list: () => [...(known ?? [])].map((name) => ({ name, value: find(name) ?? newValue() })),
    }
  }

  function openResult(name: string, found: readonly Column[], names: readonly string[] = []): Relation {
    // a list of rows has another number of columns in its place than in truth: these are equal to nothing
    const isList =
      names.length > 0 && found.length !== names.length && found.every((one) => one.name === undefined)
    const list = isList
      ? names.map((column) => ({ name: column, value: newValue() }))
      : found.map((column, n) => ({ name: names[n] ?? column.name, value: column.value }))
    return { name, find: (column) => list.find((one) => one.name === column)?.value, list: () => list }
  }

  function resolve(fields: readonly string[], scope: Scope | undefined): string | undefined {
    if (!scope) return undefined
    const column = fields.at(-1) ?? ''
    const table = fields.at(-2)
    for (const relation of scope.relations) {
      if (table !== undefined && relation.name !== table) continue
      const value = relation.find(column)
      if (value !== undefined) return value
    }
    return resolve(fields, scope.parent)
  }

  /** The value of an expression, if the rules can tell it apart from others. */
  function resultOf(node: Node | undefined, scope: Scope): string | undefined {
    if (!node) return undefined
    if ('ParamRef' in node || 'A_Const' in node) return CONSTANT
    if ('TypeCast' in node) return resultOf(node.TypeCast.arg, scope)
    return 'ColumnRef' in node ? resolve(fieldsOf(node), scope) : undefined
  }

  function readCondition(node: Node | undefined, scope: Scope): void {
    if (!node) return
    if ('BoolExpr' in node && node.BoolExpr.boolop === 'AND_EXPR')
      for (const one of node.BoolExpr.args ?? []) readCondition(one, scope)
    if ('A_Expr' in node && node.A_Expr.kind === 'AEXPR_OP' && textOf(node.A_Expr.name?.[0]) === '=') {
      const [left, right] = [node.A_Expr.lexpr, node.A_Expr.rexpr].map(membersOf)
      for (const [n, one] of (left ?? []).entries()) equate(resultOf(one, scope), resultOf(right?.[n], scope))
    }
    if ('SubLink' in node && node.SubLink.subLinkType === 'ANY_SUBLINK') {
      const found = node.SubLink.subselect ? readQuery(node.SubLink.subselect, scope) : []
      for (const [n, one] of membersOf(node.SubLink.testexpr).entries())
        equate(resultOf(one, scope), found[n]?.value)
    } else search(node, scope)
  }

  /** Reads the queries in an expression, and looks for functions and columns that the rules forbid. */
  function search(part: unknown, scope: Scope): void {
    if (Array.isArray(part)) for (const one of part) search(one, scope)
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return
    const node = part as Node
    if ('SelectStmt' in node) {
      readQuery(node, scope)
      return
    }
    if ('ColumnRef' in node && fieldsOf(node).at(-1) === 'ctid') places = true
    if ('FuncCall' in node) functions.push(textOf(node.FuncCall.funcname?.at(-1)))
    for (const one of Object.values(part)) search(one, scope)
  }

  let functions: string[] = []

  /** Reads a change of a table; of a distributed one, it may call no volatile function. */
  function change(table: RangeVar | undefined, isBound: boolean, read: () => void): void {
    const outer = functions
    functions = []
    read()
    if (isBound && distributed.has(table?.relname ?? ''))
      for (const name of functions)
        if (volatileFunctions.has(name))
          faults.add(`changes ${table?.relname} by ${name}(), which is volatile`)
    functions = [...outer, ...functions]
  }

  function readFrom(node: Node, scope: Scope): Relation[] {
    if ('RangeVar' in node) {
      const { relname = '', alias } = node.RangeVar
      const query = findQuery(relname, scope)
      const relation = query
        ? openResult(alias?.aliasname ?? relname, query, namesOf(alias?.colnames))
        : openTable(node.RangeVar)
      scope.relations.push(relation)
      return [relation]
    }
    if ('JoinExpr' in node) {
      const { larg, rarg, usingClause = [], quals } = node.JoinExpr
      const left = larg ? readFrom(larg, scope) : []
      const right = rarg ? readFrom(rarg, scope) : []
      const find = (relations: readonly Relation[], column: string) =>
        relations.map((relation) => relation.find(column)).find((value) => value !== undefined)
      for (const column of namesOf(usingClause)) equate(find(left, column), find(right, column))
      readCondition(quals, scope)
      return [...left, ...right]
    }
    if ('RangeSubselect' in node) {
      const { subquery, alias } = node.RangeSubselect
      const found = subquery ? readQuery(subquery, scope) : []
      const relation = openResult(alias?.aliasname ?? '', found, namesOf(alias?.colnames))
      scope.relations.push(relation)
      return [relation]
    }
    search(node, scope)
    if (!('RangeFunction' in node)) return []
    const { alias } = node.RangeFunction
    const names = namesOf(alias?.colnames).map((name) => ({ name, value: newValue() }))
    const relation = openResult(alias?.aliasname ?? '', names)
    scope.relations.push(relation)
    return [relation]
  }

  const findQuery = (name: string, scope: Scope | undefined): readonly Column[] | undefined =>
    scope && (scope.queries.get(name) ?? findQuery(name, scope.parent))

  function readWith(clause: WithClause | undefined, scope: Scope): void {
    for (const node of clause?.ctes ?? []) {
      if (!('CommonTableExpr' in node)) continue
      const { ctename = '', ctequery, aliascolnames } = node.CommonTableExpr
      const first = clause?.recursive && ctequery && 'SelectStmt' in ctequery && ctequery.SelectStmt.larg
      const named = (found: readonly Column[]) => openResult(ctename, found, namesOf(aliascolnames)).list()
      // what a recursive query returns is what its first part returns
      if (first) scope.queries.set(ctename, named(readSelect(first, scope)))
      if (ctequery) scope.queries.set(ctename, named(readQuery(ctequery, scope)))
    }
  }

  function readTargets(targets: readonly Node[] | undefined, scope: Scope): Column[] {
    return (targets ?? []).flatMap((node): Column[] => {
      if (!('ResTarget' in node)) return []
      const { name, val } = node.ResTarget
      search(val, scope)
      if (val && 'ColumnRef' in val) {
        const fields = fieldsOf(val)
        if (fields.at(-1) === '*')
          return scope.relations
            .filter((relation) => fields.length === 1 || relation.name === fields[0])
            .flatMap((relation) => relation.list())
        return [{ name: name ?? fields.at(-1), value: resolve(fields, scope) ?? newValue() }]
      }
      return [{ name, value: resultOf(val, scope) ?? newValue() }]
    })
  }

  const newScope = (parent: Scope | undefined): Scope => ({ parent, relations: [], queries: new Map() })

  function readSelect(select: SelectStmt, parent: Scope | undefined): readonly Column[] {
    const scope = newScope(parent)
    readWith(select.withClause, scope)
    if (select.larg && select.rarg) {
      const found = readSelect(select.larg, scope)
      readSelect(select.rarg, scope)
      return found
    }
    for (const node of select.fromClause ?? []) readFrom(node, scope)
    readCondition(select.whereClause, scope)
    const { targetList, valuesLists, groupClause, havingClause, sortClause, limitCount, limitOffset } = select
    search([groupClause, havingClause, sortClause, limitCount, limitOffset], scope)
    if (!valuesLists) return readTargets(targetList, scope)
    search(valuesLists, scope)
    const [row] = valuesLists
    return row && 'List' in row && valuesLists.length === 1
      ? (row.List.items ?? []).map((node) => ({
          name: undefined,
          value: resultOf(node, scope) ?? newValue(),
        }))
      : []
  }

  /** Reads a statement, or a query in one. @returns its columns. */
  function readQuery(node: Node, parent: Scope | undefined): readonly Column[] {
    if ('SelectStmt' in node) return readSelect(node.SelectStmt, parent)
    const scope = newScope(parent)
    if ('InsertStmt' in node) {
      const {
        relation,
        cols = [],
        selectStmt,
        onConflictClause,
        returningClause,
        withClause,
      } = node.InsertStmt
      readWith(withClause, scope)
      const table = relation && openTable(relation)
      const isList =
        selectStmt && 'SelectStmt' in selectStmt && selectStmt.SelectStmt.valuesLists !== undefined
      change(relation, !isList, () => {
        const found = selectStmt ? readQuery(selectStmt, scope) : []
        const names = cols.flatMap((one) => ('ResTarget' in one ? [one.ResTarget.name ?? ''] : []))
        equate(table?.find(KEY), openResult('', found, names).find(KEY))
      })
      if (table) scope.relations.push(table, { ...table, name: 'excluded' })
      change(relation, true, () => search(onConflictClause, scope))
      return readTargets(returningClause?.exprs, scope)
    }
    if (!('UpdateStmt' in node) && !('DeleteStmt' in node)) return []
    const { relation, whereClause, returningClause, withClause } =
      'UpdateStmt' in node ? node.UpdateStmt : node.DeleteStmt
    readWith(withClause, scope)
    if (relation) scope.relations.push(openTable(relation))
    const from = 'UpdateStmt' in node ? node.UpdateStmt.fromClause : node.DeleteStmt.usingClause
    change(relation, true, () => {
      for (const one of from ?? []) readFrom(one, scope)
      readCondition(whereClause, scope)
      if ('UpdateStmt' in node) search(node.UpdateStmt.targetList, scope)
    })
    return readTargets(returningClause?.exprs, scope)
  }

  for (const { stmt } of parseSync(text).stmts ?? []) if (stmt) readQuery(stmt, undefined)
  for (const { table, value } of references)
    if (rootOf(value) !== CONSTANT) faults.add(`reads or changes ${table} of more than one subscription`)
  if (places && references.length > 0) faults.add('names rows by their ctid')
  return [...faults]
}

const textOf = (node: Node | undefined): string => (node && 'String' in node ? (node.String.sval ?? '') : '')

const namesOf = (nodes: readonly Node[] | undefined): string[] => (nodes ?? []).map(textOf)

const fieldsOf = ({ ColumnRef: { fields = [] } }: Extract<Node, { ColumnRef: unknown }>): string[] =>
  fields.map((field) => ('A_Star' in field ? '*' : textOf(field)))

/** The members of a row, or the expression itself. */
const membersOf = (node: Node | undefined): readonly Node[] =>
  node && 'RowExpr' in node ? (node.RowExpr.args ?? []) : node ? [node] : []
