/** A longer name is cut, and a hash distinguishes it from others that begin alike. */
export const MAX_SLUG = 200;

/**
 * The name of the folder in which Claude Code keeps the sessions that were started in a folder. Claude Code goes by the
 * real path. Different paths can have the same name, and none can be turned back: which folder a session belongs to is
 * in its lines.
 */
export function claudeProjectSlug(realPath: string): string {
  const plain = replaceOddUnits(realPath);
  if (plain.length <= MAX_SLUG) return plain;
  let hash = 0;
  for (let i = 0; i < realPath.length; i++) hash = ((hash << 5) - hash + realPath.charCodeAt(i)) | 0;
  return `${plain.slice(0, MAX_SLUG)}-${Math.abs(hash).toString(36)}`;
}

/** Whether a folder of that name can hold sessions that were started in `root` or below it. */
export function maySlugBeBelow(slug: string, root: string): boolean {
  const plain = replaceOddUnits(root);
  if (plain.length >= MAX_SLUG) return slug.startsWith(plain.slice(0, MAX_SLUG));
  // The root of the disk ends with the separator that others get behind them.
  return slug === plain || slug.startsWith(plain.endsWith('-') && root.length === 1 ? plain : `${plain}-`);
}

function replaceOddUnits(path: string): string {
  return path.replace(/[^a-zA-Z0-9]/g, '-');
}
