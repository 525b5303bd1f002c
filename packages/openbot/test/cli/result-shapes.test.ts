/** What the commands print with `--json` is what their declarations say. (The events of a run are in the README.) */
import { listMisfits, listVisible } from '@openbot/sessions/command-line';
import { expect, test } from 'vitest';
import { OPENBOT } from '../../src/cli/main.ts';
import { writeSession } from '../setup/own-session.ts';
import { addFixtures, makeHome } from '../setup/run-openbot.ts';

test('every command that prints JSON says what', () => {
  const silent = listVisible(OPENBOT).filter(
    ({ flags, results }) => 'json' in flags && results === undefined,
  );
  expect(silent.map(({ name }) => name)).toEqual([]);
});

test.each([
  ['cc list', ['cc', 'list', '--all']],
  ['cc status', ['cc', 'status']],
  ['cc select', ['cc', 'select', 'teach the parser', '--words', '--explain']],
])('%s', async (name, args) => {
  const home = makeHome();
  addFixtures(home);
  const marked = '[openclaw:agent=main]\n\nteach the parser';
  writeSession(home, home.folder, '11111111-0000-4000-8000-000000000001', marked, 'main', 'The Parser');
  const printed = await home.json(...args);
  const results = await listVisible(OPENBOT).find((command) => command.name === name)!.results!();
  const [shape] = Object.values(results);
  expect(JSON.stringify(printed)).toContain('11111111-0000');
  expect(listMisfits(shape!, printed)).toEqual([]);
});
