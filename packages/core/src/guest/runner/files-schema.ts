// The schema of files by path. A record of zod's drops a file with the name "__proto__", which is a name like any other.
import { z } from 'zod'

/**
 * Schema of an object of contents by path, with each of its own names kept.
 *
 * @param message - what is said of anything else
 */
export const filesSchema = <T>(content: z.ZodType<T>, message: string): z.ZodType<Record<string, T>> =>
  z.custom<Record<string, unknown>>(isObject, message).transform((given, context) =>
    // By definition, not by assignment: that would set the prototype.
    Object.fromEntries(
      Object.entries(given).map(([path, one]) => {
        const parsed = content.safeParse(one)
        if (parsed.success) return [path, parsed.data]
        for (const { path: below, message: said } of parsed.error.issues)
          context.addIssue({ code: 'custom', path: [path, ...below], message: said })
        return [path, one as T]
      }),
    ),
  )

/** An object of any realm, with or without a prototype; no list, map, bytes or the like. */
const isObject = (value: unknown): boolean => Object.prototype.toString.call(value) === '[object Object]'
