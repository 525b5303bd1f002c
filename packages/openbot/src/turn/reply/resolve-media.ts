import { isAbsolute, relative, resolve, sep } from 'node:path';

/**
 * Media of a reply may be on the web, by https, in the workspace of the agent, or a file that a message to it had: a
 * person must not get other files of this machine by talking the model into naming them. By the path alone; links are checked when the file is read.
 * @param isDenied whether a rule forbids to read a file
 * @param folderOf the folder of a file of a message; undefined for other paths
 */
export function mediaWithin(
  workspaceDir: string,
  isDenied: (path: string) => boolean = () => false,
  folderOf: (path: string) => string | undefined = () => undefined,
): (url: string) => string | undefined {
  return (url) => {
    if (/^https:\/\//i.test(url)) return isPlainWebAddress(url) ? url : undefined;
    if (/^[a-z][a-z0-9+.-]+:/i.test(url) || url.startsWith('~') || url.includes('\0')) return undefined;
    const path = resolve(workspaceDir, url);
    const inside = relative(workspaceDir, path);
    const isOutside = inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside);
    return (isOutside && folderOf(path) === undefined) || isDenied(path) ? undefined : path;
  };
}

/** An address with a password in it is not repeated to people. */
function isPlainWebAddress(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && url.username === '' && url.password === '';
}
