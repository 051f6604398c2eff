// Schemas of the application: of whichever library, and whichever copy of it, they are known by what they offer.
import { z } from 'zod'

/** A schema of zod 4, or of any library that keeps to Standard Schema: zod from 3.24 on, Valibot, ArkType. */
export interface HostSchema<Output> {
  /** What the standard asks of a schema. */
  readonly '~standard': {
    /** Version of the standard. */
    readonly version: 1
    /** Name of the library. */
    readonly vendor: string
    /** Checks a value. */
    validate(value: unknown): HostSchemaAnswer<Output> | Promise<HostSchemaAnswer<Output>>
    /** For the compiler alone. */
    readonly types?:
      | {
          /** What may be given to it. */
          readonly input: unknown
          /** What it gives. */
          readonly output: Output
        }
      | undefined
  }
}

/** What a schema says of a value: the value, with what it fills in, or what is wrong. */
export type HostSchemaAnswer<Output> =
  | {
      /** The value, with what the schema fills in. */
      readonly value: Output
      /** Absent. */
      readonly issues?: undefined
    }
  | {
      /** What is wrong with it. */
      readonly issues: readonly HostSchemaIssue[]
    }

/** What is wrong with a value, and where in it. */
export interface HostSchemaIssue {
  /** What is wrong. */
  readonly message: string
  /** Where; absent for the whole value. */
  readonly path?:
    | readonly (
        | PropertyKey
        | {
            /** Name of a field, or number of an element. */
            readonly key: PropertyKey
          }
      )[]
    | undefined
}

/** A checked value, or what is wrong with it, in words. */
export type CheckedValue =
  | { readonly value: unknown; readonly problem?: undefined }
  | { readonly problem: string }

const LONGEST_PROBLEM = 1000

/** Schema of a schema. */
export const hostSchemaSchema: z.ZodType<HostSchema<unknown>> = z.custom<HostSchema<unknown>>((value) => {
  const { '~standard': offered } = Object(value) as Partial<HostSchema<unknown>>
  return typeof offered?.validate === 'function'
}, 'must be a zod 4 schema, or one of a library with Standard Schema (zod from 3.24 on, Valibot, ArkType)')

/** Checks a value by a schema, which may take its time. */
export async function checkBy(schema: HostSchema<unknown>, value: unknown): Promise<CheckedValue> {
  const answer = await schema['~standard'].validate(value)
  if (answer.issues === undefined) return { value: answer.value }
  return { problem: z.prettifyError(answer).slice(0, LONGEST_PROBLEM) }
}

/** JSON Schema of what a schema takes; `{}`, which is anything, where the library tells of none. */
export function jsonSchemaOf(schema: HostSchema<unknown>): unknown {
  if (isZod4(schema)) return z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' })
  const { jsonSchema } = schema['~standard'] as WithJsonSchema
  try {
    return jsonSchema?.input({ target: 'draft-2020-12' }) ?? {}
  } catch {
    // What JSON Schema cannot say is checked all the same.
    return {}
  }
}

/** What Standard JSON Schema adds. */
type WithJsonSchema = HostSchema<unknown>['~standard'] & {
  readonly jsonSchema?: { input(options: { readonly target: string }): unknown }
}

const isZod4 = (schema: object): schema is z.core.$ZodType => '_zod' in schema
