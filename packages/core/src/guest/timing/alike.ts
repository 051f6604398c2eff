// Alternatives of which the same can be said, so that it is said once.

/** What is said → `"a"`, `"a" and "b"` or `"a", "b" and "c"`, in the order in which it first comes up. */
export function namesByText<T extends { readonly name: string }>(
  all: readonly T[],
  textOf: (one: T) => string | undefined,
): ReadonlyMap<string, string> {
  const names = new Map<string, string[]>()
  for (const one of all) {
    const text = textOf(one)
    if (text !== undefined) names.set(text, [...(names.get(text) ?? []), `"${one.name}"`])
  }
  return new Map([...names].map(([text, quoted]) => [text, listed(quoted)]))
}

const listed = (all: readonly string[]): string =>
  all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`
