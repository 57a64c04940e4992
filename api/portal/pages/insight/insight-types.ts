import type { components } from '../../client/openapi.d.ts'

type Schemas = components['schemas']

export type Dataset = Schemas['Dataset']
export type DatasetItem = Schemas['DatasetItem']
export type Explanation = Schemas['Explanation']
export type ExplainedScore = Explanation['scores'][number]
export type Characteristic = ExplainedScore['characteristics'][number]
export type Distribution = Schemas['ScoreDistribution']
export type DatasetTimeline = Schemas['DatasetTimeline']
export type TimelineEvent = DatasetTimeline['events'][number]
type Insight = Schemas['DatasetInsight']
type FragmentValue = Insight['fragments'][number]['value']
export type PermissionItem = Extract<FragmentValue, unknown[]>[number]
export type DeviceInfo = Extract<FragmentValue, { deviceID: unknown }>
