/** One iPhone, as `hw.machine` names it. */
export interface IphoneModel {
  readonly model: string
  readonly name: string
  /** Month of launch, yyyy-mm. */
  readonly launched: string
  /** First and last major version of iOS. */
  readonly majors: readonly [first: number, last: number]
  readonly ramGb: number
  readonly storagesGb: readonly number[]
  readonly widthPx: number
  readonly heightPx: number
  readonly scale: 2 | 3
  /** 0 cheap on the second-hand market to 3 the newest Pro. */
  readonly tier: 0 | 1 | 2 | 3
  readonly weight: number
}

// biome-ignore format: as in the table
type Row = readonly [
  model: string, name: string, launched: string, firstIos: number, lastIos: number, ramGb: number,
  storagesGb: readonly number[], widthPx: number, heightPx: number, scale: 2 | 3, tier: IphoneModel['tier'], weight: number,
]

// biome-ignore format: a model a line
const ROWS: readonly Row[] = [
  ['iPhone9,3', 'iPhone 7', '2016-09', 13, 15, 2, [32, 128], 750, 1334, 2, 0, 3],
  ['iPhone10,4', 'iPhone 8', '2017-09', 13, 16, 2, [64, 128, 256], 750, 1334, 2, 0, 4],
  ['iPhone10,6', 'iPhone X', '2017-11', 13, 16, 3, [64, 256], 1125, 2436, 3, 0, 4],
  ['iPhone11,8', 'iPhone XR', '2018-10', 13, 18, 3, [64, 128, 256], 828, 1792, 2, 0, 9],
  ['iPhone11,6', 'iPhone XS Max', '2018-09', 13, 18, 4, [64, 256, 512], 1242, 2688, 3, 0, 4],
  ['iPhone12,1', 'iPhone 11', '2019-09', 13, 26, 4, [64, 128, 256], 828, 1792, 2, 1, 14],
  ['iPhone12,5', 'iPhone 11 Pro Max', '2019-09', 13, 26, 4, [64, 256, 512], 1242, 2688, 3, 1, 5],
  ['iPhone12,8', 'iPhone SE (2nd generation)', '2020-04', 13, 26, 3, [64, 128, 256], 750, 1334, 2, 0, 4],
  ['iPhone13,2', 'iPhone 12', '2020-10', 14, 26, 4, [64, 128, 256], 1170, 2532, 3, 1, 11],
  ['iPhone13,4', 'iPhone 12 Pro Max', '2020-11', 14, 26, 6, [128, 256, 512], 1284, 2778, 3, 2, 5],
  ['iPhone14,5', 'iPhone 13', '2021-09', 15, 26, 4, [128, 256, 512], 1170, 2532, 3, 2, 14],
  ['iPhone14,3', 'iPhone 13 Pro Max', '2021-09', 15, 26, 6, [128, 256, 512, 1024], 1284, 2778, 3, 2, 6],
  ['iPhone14,7', 'iPhone 14', '2022-09', 16, 26, 6, [128, 256, 512], 1170, 2532, 3, 2, 9],
  ['iPhone15,3', 'iPhone 14 Pro Max', '2022-09', 16, 26, 6, [128, 256, 512, 1024], 1290, 2796, 3, 3, 5],
  ['iPhone15,4', 'iPhone 15', '2023-09', 17, 26, 6, [128, 256, 512], 1179, 2556, 3, 2, 9],
  ['iPhone16,2', 'iPhone 15 Pro Max', '2023-09', 17, 26, 8, [256, 512, 1024], 1290, 2796, 3, 3, 5],
  ['iPhone17,3', 'iPhone 16', '2024-09', 18, 26, 8, [128, 256, 512], 1179, 2556, 3, 3, 7],
  ['iPhone17,2', 'iPhone 16 Pro Max', '2024-09', 18, 26, 8, [256, 512, 1024], 1320, 2868, 3, 3, 4],
]

/**
 * iPhones in use: identifier, native pixels, memory and the span of iOS.
 *
 * @see https://theapplewiki.com/wiki/List_of_iPhones for identifiers and memory
 * @see https://support.apple.com/docs/iphone for screens and storage
 */
export const IPHONE_MODELS: readonly IphoneModel[] = ROWS.map(
  ([model, name, launched, first, last, ramGb, storagesGb, widthPx, heightPx, scale, tier, weight]) => ({
    model,
    name,
    launched,
    majors: [first, last],
    ramGb,
    storagesGb,
    widthPx,
    heightPx,
    scale,
    tier,
    weight,
  }),
)
