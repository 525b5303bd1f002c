/** A run in progress of a session in OpenClaw's database, which may be looked for during hours. */
import { ownIdentity } from '@openbot/sessions/disk';
import { beforeEach, expect, test } from 'vitest';
import { sessionInDatabase } from '../../src/storage/openclaw-sqlite/figures/run-in-progress.ts';
import { OpenRunSearch } from '../../src/storage/openclaw-sqlite/open-run.ts';
import { changeDatabase } from './look-into.ts';
import { ID, makeTalkingHome, type TalkingHome } from './talking-home.ts';

const BOUND = 'claude-opus-5-5';
const OLDER = 'claude-opus-4-8';
const ask = { role: 'user', content: 'And?' };
const answer = (model = BOUND) => ({ role: 'assistant', model, content: [{ type: 'text', text: 'So.' }] });

let home: TalkingHome;
let search: OpenRunSearch;
beforeEach(() => {
  home = makeTalkingHome();
  home.say('', [ask, answer(), ask]);
  search = new OpenRunSearch(sessionInDatabase(home.path, ID));
});

const isFound = (isInRun: boolean, by = search) =>
  by.find('no', { run: undefined, runner: undefined, isInRun }, ownIdentity()) !== undefined;
/** Without a new version, so that only a reading of the lines can tell. */
const hideModel = () =>
  changeDatabase(
    home.path,
    `UPDATE transcript_events SET event_json = replace(event_json, '${BOUND}', '${OLDER}')`,
  );

test('lines of one version are read once', () => {
  expect(isFound(false)).toBe(true);
  hideModel();
  expect(isFound(false)).toBe(true);
  expect(isFound(false, new OpenRunSearch(sessionInDatabase(home.path, ID)))).toBe(false);
});

test('lines that a run adds are read when it is over', () => {
  expect(isFound(true)).toBe(true);
  hideModel();
  home.say('', [answer(OLDER)]);
  expect(isFound(true)).toBe(true);
  expect(isFound(false)).toBe(false);
});

test('where no thinking is bound, lines that are added are read', () => {
  hideModel();
  expect(isFound(true)).toBe(false);
  home.say('', [answer(), ask]);
  expect(isFound(true)).toBe(true);
  home.say('', [answer()]);
  expect(isFound(true)).toBe(true);
  expect(isFound(false)).toBe(false);
});
