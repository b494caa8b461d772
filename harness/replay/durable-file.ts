/** Files that are on the disk when they are said to be: a kill or a power cut leaves the old one or the new one. */
import { open } from 'node:fs/promises';

/** Writes and waits until the disk has it. A file that is there is replaced, and may be half-written until then. */
export async function writeDurably(path: string, content: Uint8Array | string): Promise<void> {
  const file = await open(path, 'w');
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Waits until the disk has the names in a folder. */
export async function syncFolder(dir: string): Promise<void> {
  // Windows does not open folders; its file systems keep names without being asked.
  if (process.platform === 'win32') return;
  const folder = await open(dir, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
