import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { readSourceFiles } from '../source-files.ts'
import { PROJECT } from '../start-process.ts'

/** A statement as the source has it, one of its forms where parts of it depend on a condition. */
export interface SourceStatement {
  /** Relative to the project. */
  readonly path: string
  /** The function, or the constant of the module, that it stands in. */
  readonly name: string
  /** With `$1` in place of every value. */
  readonly text: string
}

export interface SourceStatements {
  readonly statements: readonly SourceStatement[]
  /** Parts built by `sql` that occur in none of the statements: conditions that are put together while the service runs. */
  readonly conditions: readonly SourceStatement[]
}

/** How a statement begins. */
const STATEMENT =
  /^\s*(with|select|insert into|update|delete from|merge into|set local|lock table|truncate|notify)\s/

/** Forms of one statement that are read; each condition in it doubles them. */
const MAX_FORMS = 64

/** Arguments of the call that a function is read for, by parameter. */
type Scope = ReadonlyMap<ts.Node, { readonly value: ts.Expression; readonly scope: Scope }>

const NO_SCOPE: Scope = new Map()

/**
 * Reads all statements of the sources, without running them: every text and every template of `sql` that begins like a statement, with its
 * parts put together. A statement can therefore not be missed because no test runs it.
 *
 * @param folders such as `db/`.
 */
export function readStatements(folders: readonly string[]): SourceStatements {
  const files = new Map<string, ts.SourceFile>()
  /** Parts of the statements, and of the one that is read at present. */
  let used = new Set<ts.Node>()
  let included = new Set<ts.Node>()

  function open(path: string): ts.SourceFile {
    let file = files.get(path)
    if (!file) {
      file = ts.createSourceFile(
        path,
        readFileSync(join(PROJECT, path), 'utf8'),
        ts.ScriptTarget.Latest,
        true,
      )
      files.set(path, file)
    }
    return file
  }

  /** Finds the declaration that a name refers to at a node: of an enclosing block, of its file, or of an imported file. */
  function findDeclaration(name: string, at: ts.Node): ts.Node | undefined {
    for (let node: ts.Node | undefined = at; node; node = node.parent) {
      const found = ts.isFunctionLike(node)
        ? node.parameters.flatMap(({ name: bound }) => bindingsOf(bound)).find(isNamed(name))
        : ts.isBlock(node) || ts.isSourceFile(node)
          ? node.statements.flatMap(declarationsOf).find(isNamed(name))
          : ts.isForOfStatement(node) && ts.isVariableDeclarationList(node.initializer)
            ? node.initializer.declarations.flatMap((one) => bindingsOf(one.name)).find(isNamed(name))
            : undefined
      if (found) return found
    }
    for (const statement of at.getSourceFile().statements) {
      if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue
      const { text } = statement.moduleSpecifier
      const named = statement.importClause?.namedBindings
      if (!text.startsWith('.') || !named || !ts.isNamedImports(named)) continue
      const imported = named.elements.find((element) => element.name.text === name)
      if (imported) {
        const file = open(join(dirname(at.getSourceFile().fileName), text))
        return file.statements
          .flatMap(declarationsOf)
          .find(isNamed((imported.propertyName ?? imported.name).text))
      }
    }
    return undefined
  }

  /**
   * Returns the forms of an expression that is a part of a statement; undefined for a value.
   *
   * @param isText whether it stands in a plain text, where strings and numbers are parts as well.
   */
  function formsOf(node: ts.Expression, scope: Scope, isText: boolean): string[] | undefined {
    if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression(node))
      return formsOf(node.expression, scope, isText)
    if (ts.isTaggedTemplateExpression(node)) {
      if (node.tag.getText() !== 'sql') return undefined
      included.add(node)
      return templateForms(node.template, scope, false)
    }
    if (isText && (ts.isStringLiteral(node) || ts.isNumericLiteral(node))) return [node.text]
    if (isText && ts.isTemplateLiteral(node)) return templateForms(node, scope, true)
    if (ts.isConditionalExpression(node))
      return union([node.whenTrue, node.whenFalse].map((one) => formsOf(one, scope, isText)))
    if (ts.isBinaryExpression(node)) {
      const [left, right] = [node.left, node.right].map((one) => formsOf(one, scope, isText))
      if (node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return union([left, right])
      return left && right && combine([left, right])
    }
    if (ts.isIdentifier(node)) return nameForms(node, scope, isText)
    if (ts.isPropertyAccessExpression(node))
      return memberForms(node.expression, node.name.text, scope, isText)
    if (ts.isElementAccessExpression(node)) return memberForms(node.expression, undefined, scope, isText)
    if (ts.isCallExpression(node)) return callForms(node, scope, isText)
    return undefined
  }

  function templateForms(template: ts.TemplateLiteral, scope: Scope, isText: boolean): string[] {
    if (ts.isNoSubstitutionTemplateLiteral(template)) return [template.text]
    return combine([
      [template.head.text],
      ...template.templateSpans.flatMap(({ expression, literal }) => [
        formsOf(expression, scope, isText) ?? ['$1'],
        [literal.text],
      ]),
    ])
  }

  function nameForms(node: ts.Identifier, scope: Scope, isText: boolean): string[] | undefined {
    const declaration = findDeclaration(node.text, node)
    if (!declaration) return undefined
    const argument = scope.get(declaration)
    if (argument) return formsOf(argument.value, argument.scope, isText)
    if (ts.isParameter(declaration))
      return declaration.initializer
        ? formsOf(declaration.initializer, scope, isText)
        : parameterForms(declaration, isText)
    if (ts.isVariableDeclaration(declaration))
      return union(valuesOf(declaration).map((value) => formsOf(value, scope, isText)))
    if (!ts.isBindingElement(declaration)) return undefined
    const name = (declaration.propertyName ?? declaration.name).getText()
    const holder = declaration.parent.parent
    const values = ts.isVariableDeclaration(holder) ? valuesOf(holder) : []
    if (name === 'sql' && values.some((value) => value.getText().startsWith('valuesOf('))) return [ROWS]
    if (ts.isObjectBindingPattern(declaration.parent))
      return union([
        declaration.initializer && formsOf(declaration.initializer, scope, isText),
        literalMembers(declaration, name, isText),
      ])
    const place = declaration.parent.elements.indexOf(declaration)
    return union(
      values.flatMap((value) => {
        const element = ts.isArrayLiteralExpression(value) ? value.elements[place] : undefined
        return element ? [formsOf(element, scope, isText)] : []
      }),
    )
  }

  /** The values that a variable may have: of its declaration, or of the list that a loop goes through. */
  function valuesOf(declaration: ts.VariableDeclaration): ts.Expression[] {
    const loop = declaration.parent.parent
    return ts.isForOfStatement(loop)
      ? listedIn(loop.expression).flatMap((list) => (ts.isArrayLiteralExpression(list) ? list.elements : []))
      : listedIn(declaration.initializer)
  }

  /** The expressions that an expression may be. */
  function listedIn(expression: ts.Expression | undefined): ts.Expression[] {
    const node = unwrap(expression)
    if (!node) return []
    if (ts.isConditionalExpression(node)) return [node.whenTrue, node.whenFalse].flatMap(listedIn)
    if (ts.isIdentifier(node)) {
      const declaration = findDeclaration(node.text, node)
      if (declaration && ts.isVariableDeclaration(declaration) && declaration.initializer)
        return listedIn(declaration.initializer)
    }
    return [node]
  }

  /** What the calls in its file give to a parameter. `rows` of a prepared statement is a list of rows. */
  function parameterForms(parameter: ts.ParameterDeclaration, isText: boolean): string[] | undefined {
    if (parameter.name.getText() === 'rows' && isText) return [`(select * from (values ${ROWS}) padded)`]
    const owner = parameter.parent
    const name = ts.isFunctionDeclaration(owner)
      ? owner.name?.text
      : ts.isVariableDeclaration(owner.parent)
        ? owner.parent.name.getText()
        : undefined
    const place = owner.parameters.indexOf(parameter as never)
    const found: (string[] | undefined)[] = []
    visit(parameter.getSourceFile(), (node) => {
      if (!ts.isCallExpression(node) || node.expression.getText() !== name) return
      const argument = node.arguments[place]
      if (argument) found.push(formsOf(argument, NO_SCOPE, isText))
    })
    return union(found)
  }

  function memberForms(
    object: ts.Expression,
    member: string | undefined,
    scope: Scope,
    isText: boolean,
  ): string[] | undefined {
    const declaration = ts.isIdentifier(object) ? findDeclaration(object.text, object) : undefined
    const argument = declaration && scope.get(declaration)
    const literal = unwrap(
      argument?.value ??
        (declaration && ts.isVariableDeclaration(declaration) ? declaration.initializer : undefined),
    )
    if (literal && ts.isObjectLiteralExpression(literal))
      return union(
        literal.properties
          .filter(ts.isPropertyAssignment)
          .filter(({ name }) => member === undefined || name.getText() === member)
          .map(({ initializer }) => formsOf(initializer, argument?.scope ?? scope, isText)),
      )
    return member === undefined ? undefined : literalMembers(object, member, isText)
  }

  /** The members of that name of all object literals of the file that are parts of statements. */
  function literalMembers(at: ts.Node, member: string, isText: boolean): string[] | undefined {
    const found: (string[] | undefined)[] = []
    visit(at.getSourceFile(), (node) => {
      if (ts.isPropertyAssignment(node) && node.name.getText() === member && isPart(node.initializer, isText))
        found.push(formsOf(node.initializer, NO_SCOPE, isText))
    })
    return union(found)
  }

  function callForms(node: ts.CallExpression, scope: Scope, isText: boolean): string[] | undefined {
    const [first, second] = node.arguments
    const callee = node.expression
    if (ts.isPropertyAccessExpression(callee)) {
      // a list whose members are alike
      if (callee.name.text === 'map' && first && ts.isArrowFunction(first))
        return ts.isBlock(first.body) ? undefined : formsOf(first.body, scope, isText)
      return undefined
    }
    if (!ts.isIdentifier(callee)) return undefined
    if (callee.text === 'raw' && first) return formsOf(first, scope, true) ?? [UNKNOWN_NAME]
    if (callee.text === 'valueRows') return [ROWS]
    if (callee.text === 'String') return isText ? ['1'] : undefined
    if (callee.text === 'join' && first && second) return joinForms(first, second, scope)
    const declaration = findDeclaration(callee.text, callee)
    const body = ts.isFunctionDeclaration(declaration ?? callee)
      ? (declaration as ts.FunctionDeclaration)
      : declaration && ts.isVariableDeclaration(declaration) && declaration.initializer
        ? unwrap(declaration.initializer)
        : undefined
    if (!body || !(ts.isFunctionDeclaration(body) || ts.isArrowFunction(body)) || !body.body) return undefined
    const inner: Scope = new Map(
      body.parameters.flatMap((parameter, n) => {
        const value = node.arguments[n]
        return value ? [[parameter, { value, scope }] as const] : []
      }),
    )
    if (!ts.isBlock(body.body)) return formsOf(body.body, inner, isText)
    return union(returnsOf(body.body).map((value) => formsOf(value, inner, isText)))
  }

  function joinForms(list: ts.Expression, separator: ts.Expression, scope: Scope): string[] {
    const between = formsOf(separator, scope, true)?.[0] ?? ' '
    const elements = unwrap(list)
    if (elements && ts.isArrayLiteralExpression(elements))
      return combine(
        elements.elements.flatMap((one, n) => [n > 0 ? [between] : [''], formsOf(one, scope, false) ?? ['']]),
      )
    // conditions that are pushed to a list: all of them together, as many as there are
    const declaration = elements && ts.isIdentifier(elements) && findDeclaration(elements.text, elements)
    const own = elements && !declaration ? formsOf(elements, scope, false) : undefined
    if (own) return own
    const pushed: string[] = []
    if (declaration)
      visit(blockOf(declaration), (node) => {
        if (
          ts.isCallExpression(node) &&
          ts.isPropertyAccessExpression(node.expression) &&
          node.expression.name.text === 'push' &&
          node.expression.expression.getText() === elements.text
        )
          for (const one of node.arguments) pushed.push(formsOf(one, scope, false)?.[0] ?? '')
      })
    return [pushed.join(between) || UNKNOWN_NAME]
  }

  const statements: SourceStatement[] = []
  const parts: ts.TaggedTemplateExpression[] = []
  const paths = readSourceFiles()
    .map(({ path }) => path)
    .filter((path) => folders.some((folder) => path.startsWith(folder)) && path.endsWith('.ts'))
    .filter((path) => !path.startsWith('db/migrations/'))

  for (const path of paths)
    visit(open(path), (node) => {
      const isTagged = ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'sql'
      if (isTagged) parts.push(node)
      const isText =
        (ts.isStringLiteral(node) || ts.isTemplateLiteral(node)) &&
        !ts.isTaggedTemplateExpression(node.parent) &&
        !ts.isImportDeclaration(node.parent)
      if (!isTagged && !isText) return
      included = new Set()
      const forms = formsOf(node, NO_SCOPE, isText)?.filter((form) => STATEMENT.test(form)) ?? []
      if (forms.length === 0) return
      used = used.union(included)
      for (const form of forms)
        statements.push({ path, name: nameOf(node), text: isText ? form.replaceAll('?', '$1') : form })
    })

  return {
    statements,
    conditions: parts
      .filter((part) => !used.has(part))
      .flatMap((part) => {
        const [path, name] = [part.getSourceFile().fileName, nameOf(part)]
        return templateForms(part.template, NO_SCOPE, false).map((text) => ({ path, name, text }))
      }),
  }
}

/** In place of a name that is not in the source, such as that of a table from the catalog. */
export const UNKNOWN_NAME = 'unknown_name'

/** A list of rows of values, in whose place the number of columns does not matter. */
const ROWS = '($1, $1)'

function visit(node: ts.Node, onNode: (node: ts.Node) => void): void {
  onNode(node)
  ts.forEachChild(node, (child) => visit(child, onNode))
}

const isNamed = (name: string) => (declaration: { readonly name?: ts.Node | undefined }) =>
  declaration.name?.getText() === name

const bindingsOf = (
  name: ts.BindingName,
): (ts.BindingElement | ts.ParameterDeclaration | ts.VariableDeclaration)[] =>
  ts.isIdentifier(name)
    ? [name.parent as ts.ParameterDeclaration]
    : name.elements.flatMap((element) => (ts.isBindingElement(element) ? bindingsOf(element.name) : []))

function declarationsOf(statement: ts.Statement): (ts.NamedDeclaration & ts.Node)[] {
  if (ts.isFunctionDeclaration(statement)) return [statement]
  if (!ts.isVariableStatement(statement)) return []
  return statement.declarationList.declarations.flatMap(({ name }) => bindingsOf(name))
}

function unwrap(node: ts.Expression | undefined): ts.Expression | undefined {
  if (
    node &&
    (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression(node))
  )
    return unwrap(node.expression)
  return node
}

/** Whether an expression is a part of a statement by its first word, for members that are found by their name alone. */
const isPart = (node: ts.Expression, isText: boolean): boolean =>
  /^(sql`|raw\()/.test(node.getText()) || (isText && ts.isStringLiteral(node))

/** The values that a function returns, without those of functions in it. */
function returnsOf(block: ts.Block): ts.Expression[] {
  const found: ts.Expression[] = []
  const search = (node: ts.Node): void => {
    if (ts.isReturnStatement(node) && node.expression) found.push(node.expression)
    if (!ts.isFunctionLike(node)) ts.forEachChild(node, search)
  }
  search(block)
  return found
}

function blockOf(node: ts.Node): ts.Node {
  let block = node
  while (!ts.isBlock(block) && !ts.isSourceFile(block)) block = block.parent
  return block
}

/** The name of the outermost function, or constant, that a node stands in. */
function nameOf(node: ts.Node): string {
  let name = ''
  for (let at = node; at.parent; at = at.parent)
    if ((ts.isFunctionDeclaration(at) || ts.isVariableDeclaration(at)) && at.name) name = at.name.getText()
  return name
}

function union(forms: readonly (string[] | undefined)[]): string[] | undefined {
  const known = forms.filter((one) => one !== undefined)
  return known.length > 0 ? [...new Set(known.flat())] : undefined
}

function combine(parts: readonly (readonly string[])[]): string[] {
  let forms = ['']
  for (const part of parts)
    forms = forms.flatMap((form) => part.map((next) => form + next)).slice(0, MAX_FORMS)
  return forms
}
