import { createRequire } from 'node:module';

/** The parser is loaded where a file is no plain JSON. */
export function parseJson5(text: string): unknown {
  const { parseJSON5 } = createRequire(import.meta.url)('confbox/json5') as typeof import('confbox/json5');
  return parseJSON5(text);
}
