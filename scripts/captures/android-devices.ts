import type { Region } from './countries.ts'

/** One model of phone, as `Build.BRAND` and `Build.MODEL` name it. */
export interface AndroidModel {
  readonly brand: string
  readonly model: string
  readonly name: string
  /** Month of launch, yyyy-mm. */
  readonly launched: string
  /** API levels of the Android it was launched with and of the last one announced for it. */
  readonly apiLevels: readonly [first: number, last: number]
  /** Variants sold: nominal RAM and storage in GB. */
  readonly variants: readonly (readonly [ramGb: number, storageGb: number])[]
  readonly widthPx: number
  readonly heightPx: number
  readonly density: number
  /** 0 entry, 1 lower middle, 2 upper middle, 3 flagship. */
  readonly tier: 0 | 1 | 2 | 3
  /** How common among the phones of its brand. */
  readonly weight: number
}

// biome-ignore format: as in the table
type Row = readonly [
  model: string, name: string, launched: string, firstApi: number, lastApi: number,
  variants: AndroidModel['variants'], widthPx: number, heightPx: number, density: number,
  tier: AndroidModel['tier'], weight: number,
]

const models = (brand: string, rows: readonly Row[]): readonly AndroidModel[] =>
  rows.map(([model, name, launched, first, last, variants, widthPx, heightPx, density, tier, weight]) => ({
    brand,
    model,
    name,
    launched,
    apiLevels: [first, last],
    variants,
    widthPx,
    heightPx,
    density,
    tier,
    weight,
  }))

/**
 * Common Android phones by brand: model codes, screens and variants as sold.
 *
 * @see https://storage.googleapis.com/play_public/supported_devices.html for brands and model codes
 * @see https://www.gsmarena.com for launch, memory, screen and updates
 */
// biome-ignore format: a model a line
export const ANDROID_MODELS: readonly AndroidModel[] = [
  ...models('samsung', [
    ['SM-A125F', 'Galaxy A12', '2020-12', 29, 31, [[3, 32], [4, 64], [4, 128]], 720, 1600, 1.875, 0, 6],
    ['SM-A107F', 'Galaxy A10s', '2019-08', 28, 30, [[2, 32], [3, 32]], 720, 1520, 1.875, 0, 4],
    ['SM-A057F', 'Galaxy A05s', '2023-10', 33, 35, [[4, 64], [4, 128], [6, 128]], 1080, 2400, 2.8125, 0, 6],
    ['SM-A155F', 'Galaxy A15', '2023-12', 34, 37, [[4, 128], [6, 128], [8, 256]], 1080, 2340, 2.8125, 0, 11],
    ['SM-A165F', 'Galaxy A16', '2024-10', 34, 37, [[4, 128], [6, 128], [8, 256]], 1080, 2340, 2.8125, 0, 10],
    ['SM-A245F', 'Galaxy A24', '2023-05', 33, 37, [[4, 128], [6, 128], [8, 128]], 1080, 2340, 2.8125, 1, 6],
    ['SM-A336E', 'Galaxy A33 5G', '2022-03', 31, 36, [[6, 128], [8, 128], [8, 256]], 1080, 2400, 2.8125, 1, 4],
    ['SM-A525F', 'Galaxy A52', '2021-03', 30, 34, [[6, 128], [8, 128], [8, 256]], 1080, 2400, 2.8125, 1, 5],
    ['SM-A546E', 'Galaxy A54 5G', '2023-03', 33, 37, [[6, 128], [8, 128], [8, 256]], 1080, 2340, 2.8125, 2, 8],
    ['SM-A556E', 'Galaxy A55 5G', '2024-03', 34, 37, [[8, 128], [8, 256], [12, 256]], 1080, 2340, 2.8125, 2, 6],
    ['SM-G991B', 'Galaxy S21 5G', '2021-01', 30, 35, [[8, 128], [8, 256]], 1080, 2400, 3, 3, 3],
    ['SM-S911B', 'Galaxy S23', '2023-02', 33, 37, [[8, 128], [8, 256]], 1080, 2340, 3, 3, 4],
    ['SM-S928B', 'Galaxy S24 Ultra', '2024-01', 34, 37, [[12, 256], [12, 512], [12, 1024]], 1440, 3120, 3.75, 3, 4],
  ]),
  ...models('Redmi', [
    ['M2006C3LG', 'Redmi 9A', '2020-07', 29, 30, [[2, 32], [3, 32], [4, 64]], 720, 1600, 2, 0, 6],
    ['220233L2G', 'Redmi 10A', '2022-04', 30, 31, [[3, 64], [4, 64], [4, 128]], 720, 1600, 2, 0, 5],
    ['23053RN02A', 'Redmi 12', '2023-06', 33, 35, [[4, 128], [8, 128], [8, 256]], 1080, 2460, 2.75, 0, 7],
    ['23100RN82L', 'Redmi 13C', '2023-11', 33, 35, [[4, 128], [6, 128], [8, 256]], 720, 1600, 2, 0, 9],
    ['2201117TG', 'Redmi Note 11', '2022-02', 30, 33, [[4, 64], [4, 128], [6, 128]], 1080, 2400, 2.75, 1, 7],
    ['23021RAAEG', 'Redmi Note 12', '2023-03', 33, 35, [[4, 128], [6, 128], [8, 256]], 1080, 2400, 2.75, 1, 8],
    ['23124RA7EO', 'Redmi Note 13', '2024-01', 33, 36, [[6, 128], [8, 128], [8, 256]], 1080, 2400, 2.75, 1, 9],
  ]),
  ...models('POCO', [
    ['M2007J20CG', 'POCO X3 NFC', '2020-09', 29, 31, [[6, 64], [6, 128], [8, 128]], 1080, 2400, 2.75, 2, 3],
    ['22111317PG', 'POCO X5 5G', '2023-02', 31, 34, [[6, 128], [8, 256]], 1080, 2400, 2.75, 2, 3],
    ['2312FPCA6G', 'POCO M6 Pro', '2024-01', 33, 35, [[8, 256], [12, 512]], 1080, 2400, 2.75, 1, 4],
  ]),
  ...models('Xiaomi', [
    ['2201123G', 'Xiaomi 12', '2022-03', 31, 35, [[8, 128], [8, 256], [12, 256]], 1080, 2400, 2.75, 3, 2],
    ['2306EPN60G', 'Xiaomi 13T', '2023-09', 33, 37, [[8, 256], [12, 256]], 1220, 2712, 2.8125, 3, 3],
  ]),
  ...models('OPPO', [
    ['CPH2269', 'OPPO A16', '2021-07', 30, 30, [[3, 32], [4, 64]], 720, 1600, 2, 0, 6],
    ['CPH2477', 'OPPO A17', '2022-09', 31, 33, [[4, 64]], 720, 1612, 2, 0, 5],
    ['CPH2565', 'OPPO A78', '2023-07', 33, 35, [[8, 128], [8, 256]], 1080, 2400, 3, 1, 5],
    ['CPH2637', 'OPPO Reno12 F', '2024-06', 34, 36, [[8, 256], [12, 512]], 1080, 2400, 3, 2, 3],
  ]),
  ...models('vivo', [
    ['V2026', 'vivo Y12s', '2020-11', 29, 30, [[3, 32], [4, 128]], 720, 1600, 2, 0, 5],
    ['V2217', 'vivo Y02', '2022-11', 31, 31, [[2, 32], [3, 32]], 720, 1600, 2, 0, 4],
    ['V2247', 'vivo Y36', '2023-05', 33, 35, [[8, 128], [8, 256]], 1080, 2388, 3, 1, 5],
    ['V2250', 'vivo V29', '2023-08', 33, 35, [[8, 256], [12, 512]], 1260, 2800, 3.5, 2, 3],
  ]),
  ...models('realme', [
    ['RMX3231', 'realme C11 2021', '2021-06', 30, 30, [[2, 32], [4, 64]], 720, 1600, 2, 0, 4],
    ['RMX3690', 'realme C30s', '2022-09', 31, 31, [[2, 32], [4, 64]], 720, 1600, 2, 0, 4],
    ['RMX3710', 'realme C55', '2023-03', 33, 35, [[6, 128], [8, 256]], 1080, 2400, 3, 1, 6],
    ['RMX3771', 'realme 11 Pro 5G', '2023-05', 33, 35, [[8, 256], [12, 512]], 1080, 2412, 3, 2, 2],
  ]),
  ...models('Infinix', [
    ['Infinix X657B', 'Infinix Smart 5', '2020-08', 29, 29, [[2, 32], [3, 64]], 720, 1600, 2, 0, 5],
    ['Infinix X6525', 'Infinix Smart 8', '2023-11', 33, 33, [[3, 64], [4, 128]], 720, 1612, 2, 0, 7],
    ['Infinix X669', 'Infinix Hot 30i', '2023-03', 31, 33, [[4, 64], [4, 128], [8, 128]], 720, 1612, 2, 0, 5],
    ['Infinix X6833B', 'Infinix Note 30', '2023-05', 33, 34, [[8, 128], [8, 256]], 1080, 2460, 3, 1, 4],
  ]),
  ...models('TECNO', [
    ['TECNO BF7', 'TECNO Spark Go 2023', '2023-01', 31, 31, [[3, 64], [4, 64]], 720, 1612, 2, 0, 7],
    ['TECNO KG5k', 'TECNO Spark 8C', '2022-01', 30, 30, [[2, 64], [4, 64], [4, 128]], 720, 1612, 2, 0, 5],
    ['TECNO KJ5', 'TECNO Spark 20', '2023-12', 33, 34, [[8, 128], [8, 256]], 720, 1612, 2, 0, 6],
    ['TECNO CK6n', 'TECNO Camon 20', '2023-05', 33, 34, [[8, 256]], 1080, 2400, 3, 1, 4],
  ]),
  ...models('motorola', [
    ['moto e13', 'moto e13', '2023-02', 33, 33, [[2, 64], [4, 64], [8, 128]], 720, 1600, 2, 0, 6],
    ['moto g23', 'moto g23', '2023-02', 33, 34, [[4, 128], [8, 128]], 720, 1600, 2, 0, 5],
    ['moto g54 5G', 'moto g54 5G', '2023-09', 33, 34, [[4, 128], [8, 256], [12, 256]], 1080, 2400, 2.5, 1, 6],
    ['motorola edge 40', 'motorola edge 40', '2023-05', 33, 35, [[8, 256], [12, 256]], 1080, 2400, 2.5, 2, 3],
  ]),
  ...models('google', [
    ['Pixel 6a', 'Pixel 6a', '2022-07', 31, 37, [[6, 128]], 1080, 2400, 2.625, 2, 4],
    ['Pixel 7', 'Pixel 7', '2022-10', 33, 37, [[8, 128], [8, 256]], 1080, 2400, 2.625, 3, 3],
    ['Pixel 8', 'Pixel 8', '2023-10', 34, 37, [[8, 128], [8, 256]], 1080, 2400, 2.625, 3, 3],
    ['Pixel 9', 'Pixel 9', '2024-08', 34, 37, [[12, 128], [12, 256]], 1080, 2424, 2.625, 3, 2],
  ]),
]

/**
 * Share of each brand among the Android phones of a region, rounded.
 *
 * @see https://gs.statcounter.com/vendor-market-share/mobile
 */
export const BRAND_SHARES: Record<Region, Readonly<Record<string, number>>> = {
  southEastAsia: {
    samsung: 24,
    Redmi: 13,
    POCO: 4,
    Xiaomi: 3,
    OPPO: 20,
    vivo: 17,
    realme: 11,
    Infinix: 5,
    TECNO: 3,
  },
  southAsia: {
    samsung: 16,
    Redmi: 16,
    POCO: 5,
    Xiaomi: 3,
    OPPO: 13,
    vivo: 21,
    realme: 14,
    Infinix: 4,
    TECNO: 4,
    motorola: 4,
  },
  latinAmerica: {
    samsung: 42,
    Redmi: 17,
    POCO: 3,
    Xiaomi: 3,
    OPPO: 4,
    realme: 3,
    Infinix: 2,
    TECNO: 1,
    motorola: 25,
  },
  africa: {
    samsung: 27,
    Redmi: 9,
    Xiaomi: 2,
    OPPO: 5,
    vivo: 2,
    realme: 1,
    Infinix: 22,
    TECNO: 31,
    google: 1,
  },
  europe: { samsung: 46, Redmi: 19, POCO: 5, Xiaomi: 6, OPPO: 4, vivo: 2, realme: 4, motorola: 9, google: 5 },
  northAmerica: { samsung: 60, motorola: 20, google: 14, Redmi: 3, TECNO: 3 },
}
