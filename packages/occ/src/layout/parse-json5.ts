import { createRequire } from 'node:module';

/** Loads its parser at the first use. The search for sessions is synchronous, which an import is not. */
export function parseJson5(text: string): unknown {
  const { parseJSON5 } = createRequire(import.meta.url)('confbox/json5') as typeof import('confbox/json5');
  return parseJSON5(text);
}
