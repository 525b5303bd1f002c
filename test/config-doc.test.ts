/** docs/config.md and docs/openbot.schema.json are made from the schema of openbot.json. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeConfigPage, makeSchemaFile } from '../docs/make/config.ts';
import { listSettings } from '../packages/openbot/src/config/schema/list-settings.ts';
import { REPOSITORY } from './architecture/workspace.ts';

const readDoc = (name: string) => readFileSync(join(REPOSITORY, 'docs', name), 'utf8');

it('the page is what npm run docs makes', () => {
  expect(readDoc('config.md')).toBe(makeConfigPage());
});

it('the JSON schema is what npm run docs makes', () => {
  expect(readDoc('openbot.schema.json')).toBe(makeSchemaFile());
});

it('every setting says what it means', () => {
  const silent = listSettings().filter(({ facts }) => !facts.description);
  expect(silent.map(({ path }) => path)).toEqual([]);
});

it('settings with secrets are marked, and no others', () => {
  const secrets = listSettings().filter(({ facts }) => facts.writeOnly);
  expect(secrets.map(({ path }) => path)).toEqual([
    'models.providers.<name>.apiKey',
    'index.embedding.apiKey',
    'gateway.auth.token',
  ]);
});
