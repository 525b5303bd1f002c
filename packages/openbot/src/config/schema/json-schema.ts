import * as z from 'zod/mini';
import { botConfigSchema } from './schema.ts';

/** The JSON schema of `openbot.json`, for editors. Draft 7, which all of them know. */
export function makeJsonSchema(): Record<string, unknown> {
  const { $schema, properties, ...rest } = z.toJSONSchema(botConfigSchema, {
    target: 'draft-7',
    io: 'input',
    unrepresentable: 'any',
  });
  return {
    $schema,
    title: 'openbot.json',
    description: 'The configuration of openbot',
    ...rest,
    properties: {
      $schema: { type: 'string', description: 'Where an editor finds this schema' },
      $include: {
        anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
        description:
          'Other files of the same folder, whose settings are added. What this file says itself wins',
      },
      ...properties,
    },
  };
}
