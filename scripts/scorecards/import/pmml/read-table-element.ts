import { readElement } from './read-element.ts'
import type { XmlElement } from './read-xml.ts'

interface TableRow {
  readonly element: XmlElement
  /** Text by the name of the cell's element, without prefix. */
  readonly cells: ReadonlyMap<string, string>
}

/** The rows of an InlineTable, whose cells have names of the file's own. */
export function readTable(table: XmlElement): TableRow[] {
  return readElement(table, (from) =>
    from.children('row').map((element) => ({
      element,
      cells: new Map(element.children.map(({ name, text }) => [name, text])),
    })),
  )
}
