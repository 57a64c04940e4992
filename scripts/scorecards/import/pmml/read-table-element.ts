import { readElement } from './read-element.ts'
import type { XmlElement } from './read-xml.ts'

interface TableRow {
  readonly element: XmlElement
  /** Text by element name of the cell, without prefix. */
  readonly cells: ReadonlyMap<string, string>
}

/** Reads the rows of an InlineTable, whose cell names are defined by the file. */
export function readTable(table: XmlElement): TableRow[] {
  return readElement(table, (from) =>
    from.children('row').map((element) => ({
      element,
      cells: new Map(element.children.map(({ name, text }) => [name, text])),
    })),
  )
}
