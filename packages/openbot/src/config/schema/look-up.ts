/** What the schema says of a path, whatever is in the file. */
import * as z from 'zod/mini';
import { isSecretName } from '../secret-name.ts';
import type { SettingPath } from '../setting-path.ts';
import { botConfigSchema } from './schema.ts';

type Schema = z.core.$ZodType;
type Def = z.core.$ZodTypes['_zod']['def'];

export interface SettingFacts {
  readonly description?: string;
  readonly default?: unknown;
  /** Its value is never shown. The name is JSON schema's. */
  readonly writeOnly?: boolean;
}

/** The schemas that a value there may have; several for a union, none for a setting that is not known. */
export function findSchemas(path: SettingPath, root: Schema = botConfigSchema): Schema[] {
  return path.reduce<Schema[]>((found, part) => found.flatMap((schema) => step(schema, part)), [root]);
}

function step(schema: Schema, part: string | number): Schema[] {
  const def = (schema as z.core.$ZodTypes)._zod.def as Def;
  switch (def.type) {
    case 'optional':
      return step(def.innerType, part);
    case 'union':
      return def.options.flatMap((option) => step(option, part));
    case 'object':
      if (Object.hasOwn(def.shape, part)) return [def.shape[part]!];
      return def.catchall === undefined || isNever(def.catchall) ? [] : [def.catchall];
    case 'record':
      return [def.valueType];
    case 'array':
      return typeof part === 'number' ? [def.element] : [];
    // What is below a value of any kind is of any kind.
    case 'unknown':
      return [schema];
    default:
      return [];
  }
}

function isNever(schema: Schema): boolean {
  return (schema as z.core.$ZodTypes)._zod.def.type === 'never';
}

function isUnknown(schema: Schema): boolean {
  return (schema as z.core.$ZodTypes)._zod.def.type === 'unknown';
}

/** Whether the setting may have the value, as far as it can be said without the rest of the file. */
export function accepts(path: SettingPath, value: unknown): boolean {
  return findSchemas(path).some((schema) => z.safeParse(schema, value).success);
}

export function readFacts(schema: Schema): SettingFacts {
  const def = (schema as z.core.$ZodTypes)._zod.def as Def;
  const inner = def.type === 'optional' ? readFacts(def.innerType) : {};
  return { ...inner, ...(z.globalRegistry.get(schema) as SettingFacts | undefined) };
}

/** Whether it holds a secret: by the schema, and by its name where the schema does not know it. */
export function isSecretSetting(path: SettingPath): boolean {
  const schemas = findSchemas(path).filter((schema) => !isUnknown(schema));
  if (schemas.length > 0) return schemas.some((schema) => readFacts(schema).writeOnly === true);
  const name = path.findLast((part) => typeof part === 'string');
  return isSecretName(String(name));
}

/** Names that the object at a path may have. */
export function listNames(path: SettingPath): readonly string[] {
  return findSchemas(path).flatMap(namesOf);
}

function namesOf(schema: Schema): readonly string[] {
  const def = (schema as z.core.$ZodTypes)._zod.def as Def;
  if (def.type === 'optional') return namesOf(def.innerType);
  if (def.type === 'union') return def.options.flatMap(namesOf);
  return def.type === 'object' ? Object.keys(def.shape) : [];
}

/** The words of which a setting takes one; none where it takes other values. */
export function listValues(path: SettingPath): readonly string[] {
  return findSchemas(path).flatMap(valuesOf);
}

function valuesOf(schema: Schema): readonly string[] {
  const def = (schema as z.core.$ZodTypes)._zod.def as Def;
  if (def.type === 'optional') return valuesOf(def.innerType);
  if (def.type === 'union') return def.options.flatMap(valuesOf);
  return def.type === 'enum' ? Object.values(def.entries).map(String) : [];
}
