import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { type Environment, fillInVariables, readSmallFile } from '@openbot/sessions/layout';
import { isSecretSetting } from '../config/schema/look-up.ts';
import { type SettingPath, showSettingPath } from '../config/setting-path.ts';
import type { LeftOut } from './found-session.ts';

export type JsonObject = Record<string, unknown>;

/** A secret that gets a file of its own. */
export interface CopiedSecret {
  /** Relative to the state folder. */
  readonly file: string;
  readonly value: string;
}

/** A setting whose value is a secret, and the text that now names it. */
export interface TakenSecret {
  readonly at: SettingPath;
  readonly text: string;
  /** Absent where a variable has it. */
  readonly secret?: CopiedSecret;
}

interface Variables {
  /** What OpenClaw knows, with its file `.env`. */
  readonly there: Environment;
  /** What openbot finds in its environment. */
  readonly here: Environment;
  readonly leftOut: LeftOut[];
  /** Where files of secrets may be already. */
  readonly stateDir: string;
}

/**
 * Replaces each secret by `${NAME}`, where the environment here has that variable, else by a file. Other texts that name
 * variables of OpenClaw's alone get their value. What names a variable that is not set is left out: it would make the
 * whole configuration unusable.
 */
export function takeSecrets(config: JsonObject, variables: Variables): readonly TakenSecret[] {
  const taken: TakenSecret[] = [];
  const own = readOwnVariables(config);
  const there = { ...own, ...variables.there };
  const names = new Set<string>();
  const visit = (parent: JsonObject | unknown[], name: string | number, above: SettingPath) => {
    const holder = parent as Record<string | number, unknown>;
    const at = [...above, name];
    const value = holder[name];
    const ref = readReference(value);
    if (ref === undefined && (isObject(value) || Array.isArray(value))) {
      for (const key of Array.isArray(value) ? value.keys() : Object.keys(value)) visit(value, key, at);
      return;
    }
    if (ref === 'other') {
      delete holder[name];
      const why = 'OpenClaw gets it from a file or a program of its own';
      variables.leftOut.push({ what: showSettingPath(at), why });
      return;
    }
    const text = ref ?? value;
    if (typeof text !== 'string') return;
    const result = takeText(text, at, { ...variables, there, names });
    if (result === undefined) delete holder[name];
    else {
      holder[name] = result.text;
      if (isSecretSetting(at)) taken.push(result);
    }
  };
  for (const key of Object.keys(config)) if (key !== 'env') visit(config, key, []);
  return taken;
}

function takeText(
  text: string,
  at: SettingPath,
  variables: Variables & { readonly names: Set<string> },
): TakenSecret | undefined {
  const isSecret = isSecretSetting(at);
  const names = [...text.matchAll(/(?<!\$)\$\{([A-Z_][A-Z0-9_]*)\}/g)].map(([, name]) => name!);
  if (names.length > 0 && names.every((name) => variables.here[name])) return { at, text };
  let value: string;
  try {
    value = fillInVariables(text, variables.there, (name) => new Error(name));
  } catch (error) {
    const why = `it names the variable ${(error as Error).message}, which is not set`;
    variables.leftOut.push({ what: showSettingPath(at), why });
    return undefined;
  }
  // What looks like a reference to us is text to OpenClaw.
  if (!isSecret) return { at, text: names.length === 0 ? text : value.replaceAll('${', '$${') };
  const file = `secrets/${nameSecret(at, value, variables)}`;
  return { at, text: `file:./${file}`, secret: { file, value } };
}

/** Longer ones are cut, for disks that take no long names. */
const LONGEST_NAME = 100;

/** Each setting has a file of its own, and one that is there keeps its content. */
function nameSecret(
  at: SettingPath,
  value: string,
  { names, stateDir }: { readonly names: Set<string>; readonly stateDir: string },
): string {
  const path = at.map(String).join('-');
  const plain = path.replace(/[^\w.-]+/g, '_').slice(0, LONGEST_NAME);
  const hash = createHash('sha256').update(JSON.stringify(at)).digest('hex').slice(0, 8);
  for (let count = 0; ; count++) {
    const name = count === 0 ? plain : `${plain}-${hash}${count === 1 ? '' : `-${count}`}`;
    if (count === 0 && plain !== path) continue;
    // Disks of some systems do not tell large letters from small ones.
    if (names.has(name.toLowerCase()) || !isFree(join(stateDir, 'secrets', name), value)) continue;
    names.add(name.toLowerCase());
    return name;
  }
}

function isFree(file: string, value: string): boolean {
  try {
    if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return true;
    return readSmallFile(file).replace(/\r?\n$/, '') === value;
  } catch {
    return false;
  }
}

/** OpenClaw's objects for secrets: `${NAME}` for one of the environment. */
function readReference(value: unknown): string | 'other' | undefined {
  if (!isObject(value) || typeof value.source !== 'string' || typeof value.id !== 'string') return undefined;
  return value.source === 'env' && /^[A-Z_][A-Z0-9_]*$/.test(value.id) ? `\${${value.id}}` : 'other';
}

/** Variables that the configuration sets itself: `env.vars`, and names directly under `env`. */
function readOwnVariables({ env }: JsonObject): Environment {
  if (!isObject(env)) return {};
  const all = { ...env, ...(isObject(env.vars) ? env.vars : {}) };
  return Object.fromEntries(
    Object.entries(all).filter((one): one is [string, string] => typeof one[1] === 'string'),
  );
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
