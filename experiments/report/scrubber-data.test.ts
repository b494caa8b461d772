import { beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_OPTIONS } from '../../harness/parsers/parser.ts';
import { PARSERS, type Protocol } from '../../harness/parsers/protocols.ts';
import { loadSuites } from '../../harness/replay/load.ts';
import type { Framing, Recording } from '../../harness/replay/recording.ts';
import { reframedSuite } from '../../harness/replay/reframe.ts';
import { replayContent } from '../../harness/replay/replay.ts';
import { readStream } from '../../harness/stream/reader.ts';
import { scrubberData, scrubberStream } from './scrubber-data.ts';
import { pendingAt, runsAt, stateRanges, underWayAt } from './scrubber-reading.ts';
import type { ScrubberData, ScrubberReading, ScrubberStream } from './scrubber-types.ts';

const RECORDINGS = new URL('../../recordings', import.meta.url).pathname;

/** One letter a byte: text, confirmed, pending, executable, discarded; a dot for what is to come. */
function picture(stream: ScrubberStream, reading: ScrubberReading, position: number): string {
  const ranges = stateRanges(reading, stream.bytes, position);
  return ranges.map(({ from, to, state }) => (state === null ? '.' : state.charAt(0)).repeat(to - from)).join('');
}

function chunk(delta: object, finish: string | null = null): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
}

function call(index: number, fields: { id?: string; name?: string; arguments: string }): object {
  const { id, ...rest } = fields;
  return { tool_calls: [{ index, ...(id === undefined ? {} : { id }), function: rest }] };
}

const DONE = `${chunk({}, 'stop')}data: [DONE]\n\n`;

function recorded(framing: Framing, content: string): Recording {
  const bytes = Buffer.from(content);
  return {
    suite: 'replies',
    file: `t01.${framing}.sse`,
    task: 't01',
    framing,
    guessed: false,
    wire: 'openai-chat',
    sha256: '',
    size: bytes.length,
    source: 'crafted',
    expectations: [],
    bytes: async () => bytes,
  };
}

async function read(framing: Framing, content: string): Promise<(position: number) => readonly string[]> {
  const stream = await scrubberStream(recorded(framing, content));
  return (position) => stream.readings.map((reading) => picture(stream, reading, position));
}

const readText = (framing: Framing, text: string, end = DONE) => read(framing, chunk({ content: text }) + end);

describe('the state of each byte', () => {
  it('of a ctl stream: lines are confirmed at their LF, a body at once, the call runs at the LF of end', async () => {
    const at = await readText('ctl', 'Hi\ncall c1 t\narg k 3\né!\nend\n');
    expect(at(0)).toEqual(['.'.repeat(29)]);
    expect(at(2)).toEqual([`tt${'.'.repeat(27)}`]);
    expect(at(12)).toEqual([`ttt${'p'.repeat(9)}${'.'.repeat(17)}`]);
    expect(at(13)).toEqual([`ttt${'c'.repeat(10)}${'.'.repeat(16)}`]);
    expect(at(22)).toEqual([`ttt${'c'.repeat(19)}${'.'.repeat(7)}`]);
    expect(at(27)).toEqual([`ttt${'c'.repeat(22)}pp..`]);
    expect(at(28)).toEqual([`ttt${'c'.repeat(22)}ppp.`]);
    expect(at(29)).toEqual([`ttt${'e'.repeat(26)}`]);
    expect(at(30)).toEqual(at(29));
  });

  it('goes back from pending to text where a line is no call', async () => {
    const at = await readText('ctl', 'calm\n');
    expect([1, 2, 3, 4, 5].map(at)).toEqual([['p....'], ['pp...'], ['ppp..'], ['tttt.'], ['ttttt']]);
  });

  it('after a contract error: what was confirmed stays so, the rest is discarded', async () => {
    const at = await readText('ctl', 'call c1 t\narg k 4\nhello\nend\n');
    expect(at(23)).toEqual([`${'c'.repeat(22)}p.....`]);
    expect(at(24)).toEqual([`${'c'.repeat(22)}dd....`]);
    expect(at(29)).toEqual([`${'c'.repeat(22)}dddddd`]);
  });

  it('of an end without LF: only a complete stream runs the call', async () => {
    const text = 'call c1 t\nend';
    expect((await readText('ctl', text))(13)).toEqual([`${'c'.repeat(10)}ppp`]);
    expect((await readText('ctl', text))(14)).toEqual(['e'.repeat(13)]);
    expect((await readText('ctl', text, ''))(14)).toEqual([`${'c'.repeat(10)}ppp`]);
  });

  it('of an xml block: pending until the end of a complete stream', async () => {
    const block = '<minimax:tool_call>\n<invoke name="t">\n</invoke>\n</minimax:tool_call>\n';
    const at = await readText('xml', `Hi\n${block}`);
    expect(at(3 + block.length)).toEqual([`ttt${'p'.repeat(block.length)}`]);
    expect(at(4 + block.length)).toEqual([`ttt${'e'.repeat(block.length)}`]);
  });

  it('of native calls: each runs with its own bytes, even where they are interleaved', async () => {
    const deltas = [
      call(0, { id: 'a', name: 't', arguments: '{"k"' }),
      call(1, { id: 'b', name: 't', arguments: '{' }),
      call(0, { arguments: ':1}' }),
      call(1, { arguments: '}' }),
    ];
    const at = await read('native', chunk({ content: 'Hi' }) + deltas.map((delta) => chunk(delta)).join('') + DONE);
    expect(at(7)).toEqual(['ttppppp....', 'ttppppp....']);
    // The later call has closed the first one, which runs as soon as its arguments are an object.
    expect(at(10)).toEqual(['ttpppppppp.', 'tteeeepeee.']);
    expect(at(11)).toEqual(['ttppppppppp', 'tteeeeeeeee']);
    expect(at(12)).toEqual(['tteeeeeeeee', 'tteeeeeeeee']);
  });

  it('of a bad native call is discarded, with its siblings only where all run or none', async () => {
    const deltas = [call(0, { id: 'a', name: 't', arguments: '{]' }), call(1, { id: 'b', name: 't', arguments: '{}' })];
    const at = await read('native', deltas.map((delta) => chunk(delta)).join('') + DONE);
    expect(at(1)).toEqual(['p...', 'p...']);
    expect(at(2)).toEqual(['dd..', 'dd..']);
    expect(at(4)).toEqual(['dddd', 'ddee']);
  });
});

describe('what stands beside the bytes', () => {
  it('are marks: the calls of a native stream, its finish reason and its end', async () => {
    const deltas = [call(0, { id: 'a', name: 't', arguments: '' }), call(1, { id: 'b', name: 'u', arguments: '{}' })];
    const { marks } = await scrubberStream(recorded('native', deltas.map((delta) => chunk(delta)).join('') + DONE));
    expect(marks).toEqual([
      { offset: 0, from: 0, label: 'call 0 · a · t' },
      { offset: 0, from: 1, label: 'call 1 · b · u' },
      { offset: 2, from: 2, label: 'finish_reason · stop' },
      { offset: 2, from: 2, label: '[DONE]' },
    ]);
  });

  it('is the call that ran, with its arguments, and the error with the place where it was raised', async () => {
    const text = 'call c1 t\narg k 5\nhello\nend\ncall c1 t\n';
    const { readings } = await scrubberStream(recorded('ctl', chunk({ content: text }) + DONE));
    expect(readings[0]?.runs).toEqual([
      { from: 28, id: 'c1', name: 't', args: [{ key: 'k', bytes: 5, preview: '"hello"' }] },
    ]);
    expect(readings[0]?.error).toMatchObject({ from: 38, kind: 'bad_call', offset: 28, line: 5 });
    expect(readings[0]?.complete).toEqual([28]);
  });
});

describe('the data of the shipped suites', () => {
  let recordings: readonly Recording[];
  let data: ScrubberData;
  beforeAll(async () => {
    const stored = await loadSuites(RECORDINGS);
    recordings = [
      ...stored,
      ...(await reframedSuite(
        stored.filter(({ suite }) => suite === 'replies'),
        '1',
      )),
    ];
    data = await scrubberData(recordings);
  });

  it('are 28 tasks in two sources of four framings and five protocols each, without the size sweep', () => {
    expect(data.tasks).toHaveLength(28);
    expect(data.tasks[1]).toEqual({ id: 't02', title: 'two short calls' });
    expect(data.sources.map(({ suite, streams }) => [suite, streams.length])).toEqual([
      ['replies', 112],
      ['reframed', 112],
    ]);
    const protocols = data.sources[1]?.streams.slice(0, 4).flatMap(({ readings }) => readings.map((r) => r.protocol));
    expect(protocols).toEqual(['ctl', 'ctl-heredoc', 'xml', 'json-whole', 'json-object']);
    expect(JSON.stringify(data.sources)).not.toContain('sweep-');
  });

  it('are small, and the same whatever the order of the recordings', async () => {
    expect(Buffer.byteLength(JSON.stringify(data))).toBeLessThan(1_500_000);
    expect(await scrubberData([...recordings].reverse())).toEqual(data);
  });

  it.each(['replies', 'reframed'])('say at every prefix of %s what the parser says there', async (suite) => {
    const streams = data.sources.find((source) => source.suite === suite)?.streams ?? [];
    for (const stream of streams.filter(({ task }) => ['t02', 't07', 't10', 't15', 't22', 't26'].includes(task))) {
      const recording = recordings.find((candidate) => candidate.suite === suite && candidate.file === stream.file)!;
      const decoded = readStream(await recording.bytes(), recording.wire);
      for (const reading of stream.readings) {
        const said = new Map<number, unknown>();
        replayContent(decoded, PARSERS[reading.protocol as Protocol](DEFAULT_OPTIONS), {
          step: ({ frontier, prefix, ended }) =>
            said.set(prefix + (ended ? 1 : 0), [
              frontier.pending,
              frontier.calls.length,
              frontier.error?.kind ?? null,
              frontier.unfinished === null ? null : { arrived: 0, ...frontier.unfinished },
            ]),
        });
        for (const [position, answer] of said)
          expect([position, shown(stream, reading, position)]).toEqual([position, answer]);
      }
    }
  });
});

/** As the parser says it; pending bytes are counted among the states. */
function shown(stream: ScrubberStream, reading: ScrubberReading, position: number): unknown {
  const pending = picture(stream, reading, position).split('p').length - 1;
  expect(pendingAt(reading, position)).toBe(pending);
  const { counts: _, ...call } = underWayAt(reading, position) ?? { counts: false };
  const { error } = reading;
  return [
    pending,
    runsAt(reading, position).length,
    error === null || error.from > position ? null : error.kind,
    underWayAt(reading, position) === null ? null : call,
  ];
}
