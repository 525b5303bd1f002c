/** The newest version of each package in the registry that npm is set to. */
import { execFile } from 'node:child_process';

const AT_ONCE = 6;
const LIMIT_MS = 60_000;

/** @returns undefined for a package that the registry does not have. Throws where it cannot be asked. */
export async function askNewest(
  names: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<Map<string, string | undefined>> {
  const newest = new Map<string, string | undefined>();
  const waiting = [...names];
  const askNext = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      newest.set(name, await askOne(name, env));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, askNext));
  return newest;
}

function askOne(name: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const args = ['view', name, 'version', '--json', '--fetch-retries=1'];
  return new Promise((resolve, reject) => {
    execFile('npm', args, { env, timeout: LIMIT_MS }, (error, stdout) => {
      const answer = parse(stdout);
      const { code, summary } = (answer as { error?: { code?: string; summary?: string } })?.error ?? {};
      if (typeof answer === 'string') resolve(answer);
      else if (code === 'E404') resolve(undefined);
      else
        reject(
          new Error(`npm cannot say the newest version of ${name}: ${summary || code || error?.message}`),
        );
    });
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
