import { type CommandInput, writeJson } from '@openbot/sessions/command-line';
import { makeJsonSchema } from '../../config/schema/json-schema.ts';

/** Prints the JSON schema of openbot.json. */
export async function configSchema({ terminal }: CommandInput): Promise<void> {
  writeJson(terminal, makeJsonSchema());
}
