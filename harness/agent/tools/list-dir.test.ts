import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { listDir, MOST_ENTRIES } from './list-dir.ts';
import { TestProject, told } from './test-project.ts';

const project = new TestProject();
afterAll(() => project.remove());
const list = async (path: string) => told(await listDir.run({ path }, project.context));

describe('list_dir', () => {
  it('lists names in the order of their bytes, folders and links marked', async () => {
    for (const name of ['b.txt', 'B.txt', '.hidden', 'é', 'z']) project.file(`all/${name}`, '');
    mkdirSync(project.path('all/b'));
    symlinkSync('../all/b', project.path('all/link'));
    expect(await list('all')).toEqual([0, '.hidden\nB.txt\nb/\nb.txt\nlink -> ../all/b\nz\né\n']);
    expect(await list('all/link/..')).toEqual(await list('all'));
    expect(await list('all/b')).toEqual([0, '']);
    expect(await list('.')).toEqual([0, 'all/\n']);
  });

  it('shows a name with a line feed on one line, and one that is no UTF-8 as far as it is', async () => {
    project.file('odd/a\nb', '');
    writeFileSync(Buffer.concat([Buffer.from(`${project.path('odd')}/`), Buffer.of(0x63, 0xff)]), '');
    symlinkSync('x\ny', project.path('odd/l'));
    expect(await list('odd')).toEqual([0, '"a\\nb"\nc\ufffd\nl -> "x\\ny"\n']);
  });

  it('counts what goes beyond the longest list', async () => {
    const name = (i: number) => `f${String(i).padStart(5, '0')}`;
    for (let i = 0; i < MOST_ENTRIES; i++) project.file(`many/${name(i)}`, '');
    const [, whole] = await list('many');
    expect(whole.split('\n').length).toBe(MOST_ENTRIES + 1);
    project.file(`many/${name(MOST_ENTRIES)}`, '');
    expect(await list('many')).toEqual([0, `${whole}[1 more entry left out]\n`]);
    project.file(`many/${name(MOST_ENTRIES + 1)}`, '');
    expect(await list('many')).toEqual([0, `${whole}[2 more entries left out]\n`]);
  });

  it('says what is no folder', async () => {
    project.file('a.txt', '');
    expect(await list('a.txt')).toEqual([1, '"a.txt": is no folder\n']);
    expect(await list('nowhere')).toEqual([1, '"nowhere": no such folder\n']);
    expect(await list('..')).toEqual([1, '"..": leads out of the project folder\n']);
  });
});
