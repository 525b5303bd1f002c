import { z } from 'zod';
import {
  isCharacterLimit,
  isKeepCount,
  isPercent,
  KEEP_MUST_BE,
  LIMIT_MUST_BE,
  PERCENT_MUST_BE,
} from '../clean/presets.ts';

const text = () =>
  z
    .string({ error: 'must be text' })
    .refine((value) => value.trim() !== '', { error: 'must not be empty' })
    .optional();

const preset = z.strictObject(
  {
    name: z.string({ error: 'must be text' }).optional(),
    keepTurnsWithTools: z.custom<number>(isKeepCount, { error: KEEP_MUST_BE }),
    truncatePercent: z.custom<number>(isPercent, { error: PERCENT_MUST_BE }),
    truncateOver: z.custom<number>(isCharacterLimit, { error: LIMIT_MUST_BE }).optional(),
  },
  { error: describeObjectFault('must be an object with keepTurnsWithTools and truncatePercent') },
);

const presets = z
  .record(z.string(), preset, { error: 'must be an object of presets by name' })
  .superRefine((all, context) => {
    for (const [key, { name }] of Object.entries(all)) {
      if (key.trim() === '')
        context.addIssue({ code: 'custom', path: [key], message: 'is a preset without a name' });
      if (name !== undefined && name !== key) {
        context.addIssue({
          code: 'custom',
          path: [key, 'name'],
          message: `must be '${key}', or be left out`,
        });
      }
    }
  });

/** The content of a configuration file. */
export const configurationSchema = z.strictObject(
  {
    $schema: z.string().optional(),
    stateDirectory: text(),
    defaultAgentId: text(),
    defaultPreset: text(),
    customPresets: presets.optional(),
    outputFormat: z.enum(['human', 'json'], { error: "must be 'human' or 'json'" }).optional(),
    verboseOutput: z.boolean({ error: 'must be true or false' }).optional(),
    keepOriginal: z.boolean({ error: 'must be true or false' }).optional(),
  },
  { error: describeObjectFault('must be an object') },
);

export const CONFIGURATION_KEYS = Object.keys(configurationSchema.shape).filter(
  (key) => !key.startsWith('$'),
);
export const PRESET_KEYS = Object.keys(preset.shape);

/** The message for unknown keys is made where the error is reported. */
function describeObjectFault(message: string) {
  return ({ code }: { code: string }) => (code === 'unrecognized_keys' ? undefined : message);
}
