/** All settings that the schema has, for its documentation and for the tests of their effects. */
import type * as z from 'zod/mini';
import { readFacts, type SettingFacts } from './look-up.ts';
import { botConfigSchema } from './schema.ts';

type Schema = z.core.$ZodType;
type Def = z.core.$ZodTypes['_zod']['def'];

export interface ListedSetting {
  /** `agents.list[].model`, `channels.<name>.allowFrom`: lists as `[]`, names that people choose as `<name>`. */
  readonly path: string;
  /** What it may be, such as `text`, `whole number` or `a list of texts`. Absent for what only has settings below it. */
  readonly values?: string;
  readonly facts: SettingFacts;
}

export function listSettings(
  schema: Schema = botConfigSchema,
  path = '',
  facts = readFacts(schema),
): ListedSetting[] {
  const def = (schema as z.core.$ZodTypes)._zod.def as Def;
  const values = describeValues(def);
  const own =
    path === '' || (values === undefined && facts.description === undefined) ? [] : [{ path, values, facts }];
  switch (def.type) {
    case 'optional':
      return listSettings(def.innerType, path, facts);
    case 'never':
      return [];
    case 'object':
      return [
        ...own,
        ...Object.entries(def.shape).flatMap(([name, part]) =>
          listSettings(part, path === '' ? name : `${path}.${name}`),
        ),
      ];
    case 'record':
      return [...own, ...below(def.valueType, `${path}.<name>`)];
    case 'array':
      return [...own, ...below(def.element, `${path}[]`)];
    case 'union':
      return [...own, ...def.options.flatMap((option) => below(option, path))];
    default:
      return own;
  }
}

/** Of what is in a list or a map: the settings that it has itself, since the value is described with the list. */
function below(schema: Schema, path: string): ListedSetting[] {
  const { type } = (schema as z.core.$ZodTypes)._zod.def as Def;
  return type === 'object' || type === 'optional' || type === 'record'
    ? listSettings(schema, path).filter((setting) => setting.path !== path)
    : [];
}

function describeValues(def: Def): string | undefined {
  switch (def.type) {
    case 'string':
      return 'text';
    case 'number':
      return 'format' in def ? 'whole number' : 'number';
    case 'boolean':
      return 'true or false';
    case 'enum':
      return Object.values(def.entries)
        .map((value) => `\`${value}\``)
        .join(', ');
    case 'optional':
      return describeValues((def.innerType as z.core.$ZodTypes)._zod.def as Def);
    case 'array':
    case 'record': {
      const inner = def.type === 'array' ? def.element : def.valueType;
      const one = describeValues((inner as z.core.$ZodTypes)._zod.def as Def);
      if (one === undefined) return undefined;
      return def.type === 'array' ? `list: ${one}` : `by name: ${one}`;
    }
    case 'union': {
      const all = def.options.map(
        (option) => describeValues((option as z.core.$ZodTypes)._zod.def as Def) ?? 'object',
      );
      return all.join(', or ');
    }
    default:
      return undefined;
  }
}
