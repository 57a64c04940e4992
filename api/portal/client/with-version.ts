/** Query options with a version in their key, so that each version is a query of its own. */
export const withVersion = <Options extends { queryKey: readonly unknown[] }>(
  options: Options,
  version: unknown,
): Options => ({ ...options, queryKey: [...options.queryKey, version] as unknown as Options['queryKey'] })
