/**
 * Resolves in a task of its own, after what the browser has to do: work that is cut by it makes no long frame on slow devices.
 */
export const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))
