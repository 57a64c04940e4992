import { packNodes } from '../../../../db/scorecards/definition/packed-nodes.ts'
import { type PmmlNode, type PmmlTree, WORDS } from '../../../../db/scorecards/definition/pmml.ts'
import type { Common, ReadContext } from './read-context.ts'
import { type ElementReader, readElement } from './read-element.ts'
import { readInnerPredicate } from './read-predicates.ts'
import type { XmlElement } from './read-xml.ts'

export function readTree(from: ElementReader, common: Common, reading: ReadContext): PmmlTree {
  from.choice('splitCharacteristic', ['binarySplit', 'multiSplit'])
  const missingValueStrategy = from.choice('missingValueStrategy', WORDS.missingValueStrategies, 'none')
  const nodes: PmmlNode[] = []
  readNode(from.requiredChild('Node'), nodes, missingValueStrategy === 'defaultChild', reading)
  return {
    element: 'TreeModel',
    ...common,
    missingValueStrategy,
    missingValuePenalty: from.number('missingValuePenalty') ?? 1,
    noTrueChildStrategy: from.choice(
      'noTrueChildStrategy',
      WORDS.noTrueChildStrategies,
      'returnNullPrediction',
    ),
    nodes: reading.isBig ? packNodes(nodes) : nodes,
  }
}

/** Adds a node and its descendants, each before its children. @returns its index and id. */
function readNode(
  element: XmlElement,
  nodes: PmmlNode[],
  needsDefault: boolean,
  reading: ReadContext,
): { place: number; id: string | undefined } {
  return readElement(element, (from) => {
    from.skip('Partition')
    const place = nodes.length
    const id = from.text('id')
    const distribution = from.children('ScoreDistribution').map((entry) =>
      readElement(entry, (of) => ({
        value: of.required('value'),
        recordCount: of.number('recordCount') ?? 0,
        confidence: of.number('confidence'),
        probability: of.number('probability'),
      })),
    )
    const given = distribution.filter(({ probability }) => probability !== undefined).length
    if (given > 0 && given < distribution.length)
      from.fail('only some of its ScoreDistribution elements have a probability: give it for all or none')
    const node: PmmlNode = {
      id,
      score: from.text('score'),
      recordCount: from.number('recordCount'),
      predicate: readInnerPredicate(from, reading),
      children: [],
      distribution: distribution.length > 0 ? distribution : undefined,
    }
    nodes.push(node)
    const defaultId = from.text('defaultChild')
    for (const inner of from.children('Node')) {
      const child = readNode(inner, nodes, needsDefault, reading)
      node.children.push(child.place)
      if (defaultId !== undefined && child.id === defaultId) node.defaultChild = child.place
    }
    if (needsDefault && node.children.length > 0 && node.defaultChild === undefined)
      from.fail('missingValueStrategy="defaultChild" needs a defaultChild that is the id of a child')
    return { place, id }
  })
}
