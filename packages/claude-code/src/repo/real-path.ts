import { sep } from 'node:path';

/** Whether `path` is `folder` or below it. Both are real paths. */
export function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
