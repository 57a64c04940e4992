/**
 * Returns the kind of a pressed key; never which letter, digit or symbol it was.
 *
 * @param key `KeyboardEvent.key`
 */
export const kindOfKey = (key: string): string =>
  /^(Backspace|Delete|Enter|Tab)$/.test(key)
    ? key.toLowerCase()
    : !/^.\p{M}*$/su.test(key)
      ? 'other'
      : /\p{L}/u.test(key)
        ? 'letter'
        : /\p{Nd}/u.test(key)
          ? 'digit'
          : key === ' '
            ? 'space'
            : 'symbol'
