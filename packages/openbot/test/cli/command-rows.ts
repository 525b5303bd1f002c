/** A command line for every command, in the order in which they are run on one state folder. `every-command.test.ts` runs them. */
import { join } from 'node:path';
import { ARCHIVED, type PlaceKind } from './command-places.ts';

export interface CommandRow {
  readonly command: string;
  /** What follows the name of the command. `{home}` and `{state}` are folders. */
  readonly words: readonly string[];
  /** Exit codes. Default: 0. Null where the command is not run on such a folder: it has nothing of its own there. */
  readonly codes: Readonly<Record<PlaceKind, number | null>>;
  /** Its output is data, a configuration or the words of a model, which is not laid out for a terminal. */
  readonly isData: boolean;
}

interface Given {
  readonly codes?: Partial<Record<PlaceKind, number | null>>;
  readonly isData?: boolean;
}

const row = (
  command: string,
  words: readonly string[],
  { codes, isData = false }: Given = {},
): CommandRow => ({
  command,
  words,
  codes: { own: 0, files: 0, sqlite: 0, ...codes },
  isData,
});
const onlyOwn = (own: number) => ({ codes: { own, files: null, sqlite: null } });
const everywhere = (code: number) => ({ codes: { own: code, files: code, sqlite: code } });
/** In a folder of OpenClaw it says no more than in one of openbot. */
const OWN_ONLY = onlyOwn(0);
/** A folder of OpenClaw whose settings or database openbot does not change. */
const REFUSED = { codes: { files: 2, sqlite: 2 } };
const UNCHANGED = { codes: { sqlite: 1 } };

/** They look. */
export const LOOKS: readonly CommandRow[] = [
  row('sessions', []),
  row('sessions', ['--agent', 'nobody'], everywhere(1)),
  row('sessions list', ['--limit', '1'], OWN_ONLY),
  row('sessions show', ['agent:main:main']),
  row('sessions show', ['nobody'], everywhere(1)),
  row('sessions restore', []),
  row('sessions set', ['agent:main:main']),
  row('history', ['agent:main:main', '--tools', '--thinking']),
  row('history', ['nobody'], everywhere(1)),
  row('search', ['tool*', '--tools']),
  row('search', ['harbuor', '"two words"'], OWN_ONLY),
  row('usage', ['session', '--breakdown']),
  row('usage', ['daily']),
  row('status', ['--all', '--deep', '--usage']),
  // Its heartbeat needs a gateway.
  row('health', [], { codes: { own: 1 } }),
  row('doctor', [], { codes: { own: 1 } }),
  row('outbox list', ['--all']),
  row('channels list', []),
  row('channels status', []),
  row('channels login', ['nowhere'], everywhere(1)),
  row('agents list', []),
  row('models list', []),
  row('models list', ['--provider', 'nobody'], OWN_ONLY),
  row('config get', [], { isData: true }),
  row('config get', ['session.scop'], onlyOwn(2)),
  row('config path', []),
  row('config validate', []),
  row('config schema', [], { ...OWN_ONLY, isData: true }),
  row('clean list', ['--all-agents']),
  row('clean info', ['agent:main:main']),
  row('cc list', ['--all'], OWN_ONLY),
  row('cc status', [], OWN_ONLY),
  row('cc select', ['teach the parser', '--words', '--explain'], OWN_ONLY),
  row('index check', []),
  row('gateway status', [], OWN_ONLY),
  row('gateway logs', [], OWN_ONLY),
  row('gateway install', ['--print'], { ...OWN_ONLY, isData: true }),
  row('devices list', [], OWN_ONLY),
  row('pairing list', [], OWN_ONLY),
  row('mcp', [], OWN_ONLY),
  row('complete', ['session', '--'], { isData: true }),
  row('completion', ['bash'], { ...OWN_ONLY, isData: true }),
  row('version', [], OWN_ONLY),
];

/** They change something. */
export const CHANGES: readonly CommandRow[] = [
  row('clean edit', ['agent:main:main', '--strip-tools']),
  row('clean clone', ['agent:main:main', '--strip-tools']),
  row('clean restore', ['agent:main:main', '--list']),
  row('agent', ['--session-key', 'agent:main:main', '-m', 'hello'], {
    codes: { files: 1, sqlite: 1 },
    isData: true,
  }),
  row('models test', ['script/echo']),
  row('sessions label', ['agent:main:main', 'a name for it']),
  row('sessions set', ['agent:main:main', 'think=high'], UNCHANGED),
  row('sessions export', ['agent:main:main', '--output', '{home}/talk.md', '--force']),
  row('sessions compact', ['agent:main:st1', '--keep-lines', '4', '--yes'], UNCHANGED),
  row('sessions reset', ['agent:main:think', '--yes'], UNCHANGED),
  row('sessions delete', ['agent:main:img', '--yes'], UNCHANGED),
  row('sessions restore', [ARCHIVED, '--key', 'agent:main:back', '--yes'], UNCHANGED),
  row('sessions prune', ['--older-than', '1d', '--dry-run'], UNCHANGED),
  row('index rebuild', []),
  row('gateway stop', [], OWN_ONLY),
  row('gateway run', ['--port', 'none'], onlyOwn(2)),
  row('gateway start', ['--port', 'none'], onlyOwn(2)),
  row('gateway restart', ['--port', 'none'], onlyOwn(2)),
  row('agent-host', [], onlyOwn(2)),
  row('gateway-worker', [], onlyOwn(2)),
  row('devices approve', ['nobody'], onlyOwn(1)),
  row('devices revoke', ['nobody'], onlyOwn(1)),
  row('pairing approve', ['telegram', 'NOBODY23'], onlyOwn(1)),
  row('pairing deny', ['telegram', 'NOBODY23'], onlyOwn(1)),
  row('pairing revoke', ['telegram', '777'], onlyOwn(1)),
  row('message send', ['--channel', 'telegram', '-t', '42', '-m', 'hello'], {
    codes: { own: 0, files: 2, sqlite: 2 },
  }),
  row('channels add', ['nowhere', '--token', 'x'], everywhere(1)),
  row('channels test', ['nowhere'], everywhere(1)),
  row('channels remove', ['nowhere', '--yes'], { codes: { own: 1, files: 2, sqlite: 2 } }),
  row('outbox retry', ['--all']),
  row('outbox drop', ['--all', '--yes']),
  row('agents add', ['helper', '--name', 'Somebody who helps with everything'], REFUSED),
  row('agents remove', ['helper', '--yes'], REFUSED),
  row('config set', ['session.dmScope', 'per-peer'], REFUSED),
  row('config unset', ['session.dmScope'], REFUSED),
  row('cc run', ['teach the parser', '--claude', '/nowhere/claude', '--fresh'], onlyOwn(1)),
  row('cc send', ['nobody', 'hello'], onlyOwn(2)),
  row('init', ['--provider', 'script', '--yes', '--state-dir', join('{home}', 'new')], {
    ...OWN_ONLY,
    isData: true,
  }),
  row('init', ['--from-openclaw', '{state}', '--state-dir', join('{home}', 'taken')], {
    codes: { own: null },
  }),
];
