import type { Environment } from '@openbot/sessions/layout';

/** What programs need to work at all. */
const PASSED = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TMPDIR', 'TZ'];

/**
 * The variables that a program gets which a model can use. Everything else, keys and tokens among it, stays here.
 * @param passEnv names of more, from the configuration
 * @param isNeeded whether this program needs one
 */
export function choosePassed(
  env: Environment,
  passEnv: readonly string[],
  isNeeded: (name: string) => boolean = () => false,
): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    const isPassed = PASSED.includes(name) || name.startsWith('LC_') || passEnv.includes(name);
    if (value !== undefined && (isPassed || isNeeded(name))) passed[name] = value;
  }
  return passed;
}
