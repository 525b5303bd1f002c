/** Where a conversation stands, by the rules of OpenClaw. */
export interface SettledTree {
  /** The last entry that is part of it, or NO_PARENT. */
  readonly leaf: number;
  /** A line moved the leaf. */
  readonly hasLeafControl: boolean;
  /** A line moves the leaf to an entry that is not there. */
  readonly hasInvalidLeafControl: boolean;
}
