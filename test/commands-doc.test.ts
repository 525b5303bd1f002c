/** docs/commands.md is made from the declarations of the commands. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeCommandsPage, PROGRAMS } from '../docs/make/commands.ts';
import { type Flag, showFlag } from '../packages/sessions/src/exports/command-line.ts';
import { REPOSITORY } from './architecture/workspace.ts';

it('the page is what npm run docs makes', async () => {
  expect(readFileSync(join(REPOSITORY, 'docs', 'commands.md'), 'utf8')).toBe(await makeCommandsPage());
});

/**
 * They can only follow their command. `--verbose` of `openbot clean` is the flag of occ; `--thinking` has a level in `agent`, as
 * OpenClaw spells it, and none for readers of a conversation.
 */
const DIFFERS = ['verbose', 'thinking'];

it.each(PROGRAMS)(
  '$name: a flag has one short form, and takes a word or not, in all commands',
  ({ commands }) => {
    const formOf = (key: string, flag: Flag) =>
      showFlag(key, flag).replace('[no-]', '').replace(/<.*>/, '<>').replace(/=.*\]/, '=]');
    const forms = new Map<string, Set<string>>();
    for (const [key, flag] of commands.flatMap(({ flags }) => Object.entries(flags))) {
      forms.set(key, (forms.get(key) ?? new Set()).add(formOf(key, flag)));
    }
    const several = [...forms].filter(([, written]) => written.size > 1);
    expect(several.filter(([key]) => !DIFFERS.includes(key))).toEqual([]);
  },
);

it.each(PROGRAMS)('$name: hidden commands are not on the page', async ({ name, commands }) => {
  const page = await makeCommandsPage();
  const hidden = commands.filter((command) => command.hidden);
  expect(hidden.filter((command) => page.includes(`### ${name} ${command.name}`))).toEqual([]);
});
