import type { Rotation } from '../backups/rotate-backups.ts';

/** What a result says of backups that went. */
export interface RotatedOut {
  /** The paths of backups that went, oldest first: five are kept. */
  rotatedOut?: readonly string[];
  /** Where the first state of the session is, if it is kept. Present with `rotatedOut`. */
  originalPath?: string;
}

export function describeRotation(rotation: Rotation | undefined): RotatedOut {
  if (rotation === undefined || rotation.removed.length === 0) return {};
  const { removed, originalPath } = rotation;
  return { rotatedOut: removed, originalPath };
}
