/**
 * `npm run demo`: a conversation with an agent, then a clean of its session and the undo. Every step is a command as a
 * person types it, in a process of its own. `--keep` keeps the folder of the demo.
 */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { styleText } from 'node:util';

const PACKAGES = join(import.meta.dirname, '..', 'packages');
const keepsFolder = process.argv.includes('--keep');
const home = mkdtempSync(join(tmpdir(), 'openbot-demo-'));
const stateDir = join(home, '.openbot');
process.on('exit', () => {
  if (!keepsFolder) rmSync(home, { recursive: true, force: true });
});

writeState();
print(`An agent with a scripted model, in ${home} (~ below). It works offline.\n\n`);
run('Say something to the agent.', 'openbot', ['agent', '-m', 'My trip to Lisbon is in May.']);
// A terminal shows tool calls as they happen.
const showsCalls = process.stdout.isTTY ? [] : ['--verbose', 'on'];
run('Another process: the agent uses its tools, and remembers what was said.', 'openbot', [
  'agent',
  '-m',
  'Which files are there?',
  ...showsCalls,
]);
run('What fills the context of the session?', 'occ', ['info']);
const before = readTranscript();
const recommended = ['edit', '--strip-tools', '--truncate-over', '2000'];
run('Clean it as recommended. A backup is made first.', 'occ', recommended);
if (readTranscript().length >= before.length) fail('the clean did not make the session smaller');
run('Undo that.', 'occ', ['restore']);
if (!readTranscript().equals(before)) fail('the restored session differs from the one before the clean');
print('Checked: the session is byte for byte what it was before the clean.\n\n');
print(keepsFolder ? `Kept ${home}\n` : `Removed ${home}. Your own sessions were not read or changed.\n`);

/** The model is a script beside this file. The diary is what it reads, so that there is something to remove. */
function writeState(): void {
  const weather = [
    'rain in the morning, mended the roof',
    'sun, a long walk to the harbour',
    'fog, wrote letters',
  ];
  const days = Array.from({ length: 1600 }, (_, day) => `Day ${day + 1}: ${weather[day % 3]}.\n`);
  for (const folder of ['scripts', 'workspace']) mkdirSync(join(stateDir, folder), { recursive: true });
  copyFileSync(join(import.meta.dirname, 'guide.json'), join(stateDir, 'scripts', 'guide.json'));
  writeFileSync(join(stateDir, 'openbot.json'), '{ agents: { defaults: { model: "script/guide" } } }\n');
  writeFileSync(join(stateDir, 'workspace', 'diary.txt'), days.join(''));
  writeFileSync(join(stateDir, 'workspace', 'packing-list.txt'), 'passport\ncamera\n');
}

function run(why: string, command: 'openbot' | 'occ', args: readonly string[]): void {
  const typed = [command, ...args.map((arg) => (arg.includes(' ') ? `"${arg}"` : arg))].join(' ');
  print(`${styleText('dim', `# ${why}`)}\n${styleText('bold', `$ ${typed}`)}\n`);
  const { PATH, TMPDIR, TERM, LANG, NO_COLOR, FORCE_COLOR } = process.env;
  const { status, signal, error } = spawnSync(
    process.execPath,
    [join(PACKAGES, command, 'bin', `${command}.js`), ...args],
    {
      cwd: home,
      // Nothing else: no state folder, agent, session or key of the person who runs the demo.
      env: { HOME: home, PATH, TMPDIR, TERM, LANG, NO_COLOR, FORCE_COLOR },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  if (status !== 0) fail(`${typed} ended with ${error?.message ?? signal ?? status}`);
  print('\n');
}

function readTranscript(): Buffer {
  const folder = join(stateDir, 'agents', 'main', 'sessions');
  const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  if (files.length !== 1) fail(`there are ${files.length} sessions, and not one`);
  return readFileSync(join(folder, files[0]!));
}

function print(text: string): void {
  writeSync(1, text);
}

function fail(what: string): never {
  writeSync(2, `The demo failed: ${what}.\n`);
  process.exit(1);
}
