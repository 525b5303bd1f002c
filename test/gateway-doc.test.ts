/** The table of methods in docs/gateway.md is made from their declarations. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeGatewayPage } from '../docs/make/gateway.ts';
import { REPOSITORY } from './architecture/workspace.ts';

it('the page is what npm run docs makes', () => {
  const page = readFileSync(join(REPOSITORY, 'docs', 'gateway.md'), 'utf8');
  expect(page).toContain('| `sessions.list` | read |');
  expect(makeGatewayPage(page)).toBe(page);
});
