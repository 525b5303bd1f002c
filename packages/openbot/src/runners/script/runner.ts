import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { OpenBotError } from '@openbot/sessions';
import type { Run, RunEvent, Runner, RunRequest } from '../contract.ts';
import { describeFault } from '../describe-fault.ts';
import { compactConversation } from './compaction.ts';
import { answerAsEcho } from './echo.ts';
import { checkScript, DEFAULT_WINDOW, playScript, type Script, type ScriptModel } from './script.ts';
import { ScriptRun } from './script-run.ts';

const PROVIDER = 'script';
/** The model of people who have chosen none. */
export const ECHO_MODEL = 'echo';
const SETTLED_MS = 1000;
const SCRIPT_NAME = /^[A-Za-z0-9][\w.-]{0,99}$/;

/** `script/echo`, and `script/<name>` for each `<state folder>/scripts/<name>.json`. */
export function openScriptRunner(stateDir: string): Runner {
  const positions = new Map<string, { next: number }>();
  const read = new Map<string, { readonly version: string; readonly script: Script }>();
  const folder = join(stateDir, 'scripts');
  const pathOf = (name: string) => join(folder, `${name}.json`);
  const runner = makeRunner((name) => {
    if (name === ECHO_MODEL) return { contextWindow: DEFAULT_WINDOW, seesImages: true, answer: answerAsEcho };
    if (!SCRIPT_NAME.test(name)) return undefined;
    const path = pathOf(name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return undefined;
    const version = `${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}`;
    const known = read.get(name);
    const script = known?.version === version ? known.script : readScript(path);
    // File times move in steps: what was just written may be written again in the same one.
    if (Date.now() - stat.mtimeMs > SETTLED_MS) read.set(name, { version, script });
    const position = positions.get(name) ?? { next: 0 };
    positions.set(name, position);
    return playScript(script, position);
  });
  const listModels = () =>
    [ECHO_MODEL, ...listScripts(folder)].map((model) => ({ provider: PROVIDER, model }));
  return { ...runner, listModels };
}

function listScripts(folder: string): string[] {
  try {
    const names = readdirSync(folder).flatMap((name) => /^(.+)\.json$/.exec(name)?.[1] ?? []);
    return names.filter((name) => SCRIPT_NAME.test(name)).sort();
  } catch {
    return [];
  }
}

/** Plays one script, whatever the model is called. */
export function makeScriptRunner({ script }: { readonly script: Script | ScriptModel }): Runner {
  const model = 'answer' in script ? script : playScript(checkScript(script, 'of this runner'), { next: 0 });
  return makeRunner(() => model);
}

function readScript(path: string): Script {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new OpenBotError(
      'INVALID_ARGUMENT',
      `The script ${path} cannot be read: ${(cause as Error).message}`,
      { cause },
    );
  }
  return checkScript(value, path);
}

/** @param find throws for a model that is there but cannot be used */
function makeRunner(find: (name: string) => ScriptModel | undefined): Runner {
  const findForRun = ({ model: { model } }: RunRequest): ScriptModel => {
    const found = find(model);
    if (found === undefined)
      throw new OpenBotError('MODEL_NOT_FOUND', `There is no model ${PROVIDER}/${model}`);
    return found;
  };
  return {
    name: 'script',
    readsNoPrefix: true,
    describeModel: (provider, model) => {
      if (provider !== PROVIDER) return undefined;
      try {
        const found = find(model);
        return (
          found && {
            provider,
            model,
            contextWindow: found.contextWindow,
            ...(found.seesImages && { seesImages: true }),
          }
        );
      } catch {
        return { provider, model };
      }
    },
    inspectModel: async (provider, model) => {
      const found = provider === PROVIDER ? find(model) : undefined;
      return found && { contextWindow: found.contextWindow, credential: 'unneeded' };
    },
    start: (request) => orFault(() => new ScriptRun(findForRun(request), request)),
    compact: (request) =>
      orFault(() => ({ events: compact(findForRun(request), request), steer: () => false })),
  };
}

function orFault(start: () => Run): Run {
  try {
    return start();
  } catch (error) {
    return {
      events: (async function* () {
        yield describeFault(error);
      })(),
      steer: () => false,
    };
  }
}

const TOO_SHORT: RunEvent = {
  type: 'end',
  reason: 'error',
  error: 'The conversation is too short to be compacted',
  isTransient: false,
};

async function* compact({ contextWindow }: ScriptModel, request: RunRequest): AsyncGenerator<RunEvent> {
  try {
    request.signal.throwIfAborted();
    const after = yield* compactConversation(request, request.model.contextWindow ?? contextWindow);
    yield after === undefined ? TOO_SHORT : { type: 'end', reason: 'stop' };
  } catch (error) {
    yield request.signal.aborted ? { type: 'end', reason: 'aborted' } : describeFault(error);
  }
}
