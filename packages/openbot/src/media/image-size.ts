/** Width and height of a PNG, GIF, JPEG or WebP picture, by its header; undefined where that is broken or of another kind. */
export function imageSize(bytes: Buffer): { readonly width: number; readonly height: number } | undefined {
  try {
    const size = read(bytes);
    return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined;
  } catch {
    // It ends before its size.
    return undefined;
  }
}

function read(bytes: Buffer): { width: number; height: number } | undefined {
  const begins = (text: string, at = 0) => bytes.toString('latin1', at, at + text.length) === text;
  if (begins('\x89PNG\r\n\x1a\n'))
    return begins('IHDR', 12) ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) } : undefined;
  if (begins('GIF8')) return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  if (begins('\xff\xd8')) return readJpeg(bytes);
  if (begins('RIFF') && begins('WEBP', 8)) return readWebp(bytes, bytes.toString('latin1', 12, 16));
  return undefined;
}

/** Segments until the one that begins a frame. */
function readJpeg(bytes: Buffer): { width: number; height: number } | undefined {
  for (let at = 2; bytes[at] === 0xff; ) {
    const marker = bytes.readUInt8(at + 1);
    // Fill bytes may be in front of a marker.
    if (marker === 0xff) at++;
    else if (isFrame(marker))
      return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    else at += 2 + Math.max(2, bytes.readUInt16BE(at + 2));
  }
  return undefined;
}

function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function readWebp(bytes: Buffer, chunk: string): { width: number; height: number } | undefined {
  if (chunk === 'VP8X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (chunk === 'VP8 ')
    return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  if (chunk !== 'VP8L') return undefined;
  const bits = bytes.readUInt32LE(21);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}
