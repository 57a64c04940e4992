import { readArray } from './read-array.ts'
import { readElement } from './read-element.ts'
import type { XmlElement } from './read-xml.ts'

/**
 * Reads a Matrix into its rows.
 *
 * @see https://dmg.org/pmml/v4-4/GeneralStructure.html, Matrix
 */
export function readMatrix(element: XmlElement, size: number): number[][] {
  return readElement(element, (from) => {
    const kind = from.choice('kind', ['any', 'diagonal', 'symmetric'], 'any')
    const [rows, columns] = [from.integer('nbRows', size), from.integer('nbCols', size)]
    if (rows !== size || columns !== size) from.fail(`the matrix is not ${size} by ${size}`)
    const onDiagonal = from.number('diagDefault') ?? 0
    const offDiagonal = from.number('offDiagDefault') ?? 0
    const matrix = Array.from({ length: size }, (_, row) =>
      Array.from({ length: size }, (_, column) => (row === column ? onDiagonal : offDiagonal)),
    )
    const set = (row: number, column: number, text: string) => {
      const value = Number(text)
      const cells = matrix[row]
      if (!Number.isFinite(value) || text.trim() === '') from.fail(`${JSON.stringify(text)} is not a number`)
      if (cells?.[column] === undefined) from.fail(`there is no cell ${row + 1}, ${column + 1}`)
      else cells[column] = value
    }
    const arrays = from.children('Array').map((array) => readArray(array))
    const [diagonal] = arrays
    if (kind === 'diagonal') {
      if (arrays.length > 1) from.fail('a diagonal matrix has one Array')
      for (const [at, text] of (diagonal ?? []).entries()) set(at, at, text)
    } else if (arrays.length > 0) {
      for (const [row, texts] of arrays.entries()) {
        const length = kind === 'symmetric' ? row + 1 : size
        if (arrays.length !== size || texts.length !== length) from.fail('an Array is missing or too short')
        for (const [column, text] of texts.entries()) {
          set(row, column, text)
          if (kind === 'symmetric') set(column, row, text)
        }
      }
    }
    for (const cell of from.children('MatCell'))
      readElement(cell, (of) => {
        const [row, column] = [of.integer('row', 0) - 1, of.integer('col', 0) - 1]
        set(row, column, cell.text)
        if (kind === 'symmetric') set(column, row, cell.text)
      })
    return matrix
  })
}
