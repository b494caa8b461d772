import { beforeAll, describe, expect, it } from 'vitest';
import { chatStream } from '../harness/replay/envelope.ts';
import { loadSuites } from '../harness/replay/load.ts';
import type { Recording } from '../harness/replay/recording.ts';
import { sha256 } from '../harness/replay/stored-recording.ts';
import { csvTable } from '../harness/report/table.ts';
import { chartsOfD } from './d-charts.ts';
import {
  ALTERED,
  COUNTERFACTUAL,
  COVERAGE,
  DIGITS,
  HYPOTHESIS_FITS,
  MISCOUNT,
  REGRESSION,
  SENSITIVITY,
  SEPARATOR,
  SUMMARY,
} from './d-rows.ts';
import { type MiscountRows, runMiscount } from './d-run.ts';
import { nothingMeasured, summaryText } from './d-summary.ts';

const OPTIONS = { lineLimit: 4096, seed: 1, concurrency: 0, onProgress: () => {} };

function csv(rows: MiscountRows): string {
  return [
    csvTable(MISCOUNT, rows.miscount),
    csvTable(SUMMARY, rows.summary),
    csvTable(COUNTERFACTUAL, rows.counterfactual),
    csvTable(ALTERED, rows.altered),
    csvTable(SEPARATOR, rows.separator),
    csvTable(HYPOTHESIS_FITS, rows.hypotheses),
    csvTable(REGRESSION, rows.regression),
    csvTable(DIGITS, rows.digits),
    csvTable(SENSITIVITY, rows.sensitivity),
    csvTable(COVERAGE, rows.coverage),
    JSON.stringify(chartsOfD(rows)),
    summaryText(rows),
  ].join('\n');
}

/** A `ctl` answer of a model that holds this message. */
function answer(message: string, changes: Partial<Recording> & { readonly isCut?: true } = {}): Recording {
  const { isCut, ...rest } = changes;
  const whole = chatStream({
    id: 'x',
    model: 'm',
    parts: [{ type: 'text', pieces: [message] }],
    finish: 'stop',
    usage: { promptTokens: 0, completionTokens: 0 },
  });
  const bytes = isCut ? whole.subarray(0, Buffer.from(whole).indexOf('"finish_reason":"stop"')) : whole;
  return {
    suite: 'own',
    file: `${rest.task ?? 'a'}.ctl.sse`,
    task: 'a',
    framing: 'ctl',
    guessed: false,
    wire: 'openai-chat',
    sha256: sha256(bytes),
    size: bytes.length,
    source: 'recorded',
    expectations: [],
    bytes: async () => bytes,
    ...rest,
  };
}

async function rowsOf(message: string): Promise<MiscountRows> {
  return runMiscount([answer(message)], OPTIONS);
}

describe('experiment D on the shipped answers', () => {
  let replies: readonly Recording[];
  let rows: MiscountRows;
  beforeAll(async () => {
    const suites = { suites: ['replies'] };
    replies = await loadSuites(new URL('../recordings', import.meta.url).pathname, suites);
    rows = await runMiscount(replies, OPTIONS);
  });

  it('gives the same bytes at any concurrency and in any order of recordings', async () => {
    expect(csv(await runMiscount([...replies].reverse(), { ...OPTIONS, concurrency: 1 }))).toBe(csv(rows));
    expect(csv(await runMiscount(replies, { ...OPTIONS, concurrency: 16 }))).toBe(csv(rows));
  });

  it('has the error, the effect and the cause in each row agree with one another', () => {
    for (const row of rows.miscount) {
      if (row.meant === null) continue;
      expect(row.error).toBe(row.declared - row.meant);
      expect(row.outcome).toBe(row.error === 0 ? 'exact' : row.error! < 0 ? 'short' : 'long');
      if (row.error === 0) expect([row.counted, row.effect === 'altered']).toEqual(['bytes', false]);
      if (row.errorKind !== '') expect([row.effect, row.error === 0]).toEqual(['lost', false]);
    }
  });

  it('adds up: buckets, kinds of text and outcomes', () => {
    const of = (text: string, size: string) => rows.summary.find((row) => row.text === text && row.size === size);
    const whole = of('all', 'all')!;
    expect(of('ASCII', 'all')!.n + of('non-ASCII', 'all')!.n).toBe(whole.n);
    const buckets = rows.summary.filter(({ text, size }) => text === 'all' && size !== 'all');
    expect(buckets.reduce((sum, { n }) => sum + n, 0)).toBe(whole.n);
    expect(whole.exact + whole.short + whole.long).toBe(whole.n);
    const [coverage] = rows.coverage;
    expect(coverage!.decided + coverage!.ambiguous + coverage!.unrecoverable).toBe(coverage!.arguments);
    expect(whole.n).toBe(coverage!.decided);
  });

  it('never shows NaN or an infinity', () => {
    expect(csv(rows)).not.toMatch(/NaN|Infinity|undefined/);
  });
});

describe('the effect of a wrong length', () => {
  const tail = 'arg b 1\ny\nend\n';

  it.each([
    ['exact', 5, ['as_meant', 'as_meant'], ''],
    ['one too long: the separator is taken in', 6, ['altered', 'as_meant'], ''],
    ['too short: the call is lost', 4, ['lost', 'lost'], 'unexpected_line'],
    ['too long: the message ends in the body', 400, ['lost', 'lost'], 'body_eof'],
    ['so long that it swallows an argument', 16, ['altered', 'altered'], ''],
  ])('%s', async (_, declared, effects, errorKind) => {
    const rows = await rowsOf(`call c1 t\narg a ${declared}\nhello\n${tail}`);
    expect(rows.miscount.map(({ effect }) => effect)).toEqual(effects);
    expect(rows.miscount[0]).toMatchObject({ meant: 5, error: declared - 5, errorKind });
  });

  it('lists what was altered one by one, with the difference', async () => {
    const rows = await rowsOf(`call c1 t\narg a 6\nhello\n${tail}`);
    expect(rows.altered).toMatchObject([
      { id: 'c1', key: 'a', declared: 6, meant: 5, ran: 6, difference: '1 more bytes at the end: "\\n"' },
    ]);
    const swallowed = await rowsOf(`call c1 t\narg a 16\nhello\n${tail}`);
    expect(swallowed.altered.map(({ key, difference }) => `${key}: ${difference}`)).toEqual([
      'a: 11 more bytes at the end: "\\narg b 1\\ny\\n"',
      'b: the argument is missing',
    ]);
  });

  it('lists a call that ran out of the middle of a value', async () => {
    const rows = await rowsOf('call c1 t\narg a 3\nsay\nend\n\ncall x1 rm\nend\nand so on\n\nend\n');
    expect(rows.miscount).toMatchObject([{ meant: 34, declared: 3, effect: 'altered' }]);
    expect(rows.altered.map(({ id, key }) => [id, key])).toEqual([
      ['c1', 'a'],
      ['x1', ''],
    ]);
  });

  it('of a mandatory separator: a length one too long is lost, not altered', async () => {
    const rows = await rowsOf(`call c1 t\narg a 6\nhello\n${tail}`);
    expect(rows.counterfactual).toMatchObject([{ ctl: 'altered', ctlMandatory: 'lost', heredoc: 'as_meant' }]);
    expect(rows.separator.map((row) => [row.separator, row.of, row.asMeant, row.altered, row.lost])).toEqual([
      ['optional', 'arguments', 1, 1, 0],
      ['optional', 'calls', 0, 1, 0],
      ['mandatory', 'arguments', 0, 0, 2],
      ['mandatory', 'calls', 0, 0, 1],
    ]);
  });

  it('of a heredoc: a value of lines without a final LF gets one, a line beyond the limit is lost', async () => {
    const heredoc = async (value: string) => {
      const { counterfactual } = await rowsOf(`call c1 t\narg a 1\n${value}\nend\n`);
      return counterfactual[0]?.heredoc;
    };
    expect(await heredoc('one line')).toBe('as_meant');
    expect(await heredoc('two\nlines')).toBe('with_final_lf');
    expect(await heredoc('two\nlines\n')).toBe('as_meant');
    expect(await heredoc('12')).toBe('with_final_lf');
    expect(await heredoc('')).toBe('as_meant');
    expect(await heredoc(`${'x'.repeat(4096)}\n`)).toBe('lost');
    expect(await heredoc('EOF\n')).toBe('as_meant');
  });
});

describe('odd messages', () => {
  it('with an id twice: what ran is put down to the frame that it ran from', async () => {
    const repeated = 'call c2 t\narg k 5\nfirst\nend\n\ncall c2 t\narg k 5\nthird\nend\n';
    const rows = await rowsOf(`call c1 t\narg k 33\nhello\nend\n${repeated}`);
    expect(rows.miscount.map(({ id, effect }) => [id, effect])).toEqual([
      ['c1', 'altered'],
      ['c2', 'lost'],
      ['c2', 'as_meant'],
    ]);
  });

  it('without a reading: nothing is said of what ran', async () => {
    const rows = await rowsOf('call c1 t\narg k 13\nabc\narg y foo\nend\nDone, thanks.\n');
    expect(rows.altered).toEqual([]);
    expect(rows.counterfactual).toMatchObject([{ bytes: null, ctl: 'undecided', heredoc: 'undecided' }]);
    expect(rows.coverage).toMatchObject([{ unreadable: 1, withoutLength: 0, unrecoverable: 1 }]);
  });

  it.each(['call c1 t\narg k 99999999999999999999\nabc\nend\n', 'call me maybe later\ncall c1 t\narg k 3\nabc\nend\n'])(
    'whose header cannot be read: %j has no reading, which is not the same as no declared length',
    async (message) => {
      const rows = await rowsOf(message);
      expect(rows.coverage).toMatchObject([{ unreadable: 1, withoutLength: 0 }]);
      expect(rows.counterfactual.filter(({ ctl }) => ctl !== 'undecided')).toEqual([]);
      expect(rows.separator).toEqual([]);
    },
  );

  it('written by hand beside answers of a model: each is counted where it belongs', async () => {
    const crafted = answer('call c1 t\narg a 6\nhello\nend\n', { source: 'crafted', task: 'b', model: 'm' });
    const rows = await runMiscount([answer('call c1 t\narg a 5\nhello\nend\n', { model: 'm' }), crafted], OPTIONS);
    expect(rows.coverage.map(({ inFigures, recordings }) => [inFigures, recordings])).toEqual([
      ['yes', 1],
      ['no', 1],
    ]);
    expect(summaryText(rows)).toContain('Of 1 calls, 1 ran as meant');
    expect(chartsOfD(rows).map(({ name }) => name)).toContain('declared-against-meant');
  });

  it('in which a heredoc is opened again and again and never closed take no longer for it', async () => {
    const rows = await rowsOf(`call c1 t\narg k 3\n${'arg a <<E\n'.repeat(40_000)}`);
    expect(rows.coverage).toMatchObject([{ unreadable: 1 }]);
  });
});

describe('recordings with little to say', () => {
  it('of other framings are passed over, and that is said', async () => {
    const recordings = [answer('x', { framing: 'xml', guessed: true })];
    const rows = await runMiscount(recordings, OPTIONS);
    expect(nothingMeasured(recordings)).toBe(
      'No recording of the framing ctl: nothing declares a length here. There are 1 xml (1 guessed from the content).\n',
    );
    expect(csv(rows)).not.toMatch(/NaN|Infinity|undefined/);
    expect(chartsOfD(rows)).toEqual([]);
  });

  it('that are cut are left out and counted', async () => {
    const rows = await runMiscount([answer('call c1 t\narg a 1\nx\nend\n', { isCut: true })], OPTIONS);
    expect(rows.miscount).toEqual([]);
    expect(rows.coverage).toMatchObject([{ recordings: 1, cut: 1, complete: 0, arguments: 0 }]);
    expect(summaryText(rows)).toContain('1 ctl recordings, 1 cut (left out)');
    expect(csv(rows)).not.toMatch(/NaN|Infinity|undefined/);
  });

  it('with a single argument have a share with its interval, and no interval of a mean', async () => {
    const rows = await rowsOf('call c1 t\narg a 6\nhello\nend\n');
    expect(rows.summary[0]).toMatchObject({
      n: 1,
      exact: 0,
      meanError: 1,
      meanErrorLow: null,
      exactHigh: expect.any(Number),
    });
    expect(rows.regression[0]).toMatchObject({ n: 1, slope: null, slopeLow: null });
    expect(csv(rows)).not.toMatch(/NaN|Infinity|undefined/);
  });

  it('with empty values alone draw no chart of sizes', async () => {
    const rows = await rowsOf('call c1 t\narg a 0\n\nend\n');
    expect(chartsOfD(rows).map(({ name }) => name)).toEqual(['exact-share']);
    expect(csv(rows)).not.toMatch(/NaN|Infinity|undefined/);
  });

  it('written by hand are listed, and in no figure', async () => {
    const rows = await runMiscount([answer('call c1 t\narg a 6\nhello\nend\n', { source: 'crafted' })], OPTIONS);
    expect(rows.miscount).toHaveLength(1);
    expect(rows.summary).toEqual([]);
    expect(rows.coverage).toMatchObject([{ inFigures: 'no' }]);
  });
});

it('charts of several models have a row for each', async () => {
  const messages = ['call c1 t\narg a 6\nhello\nend\n', 'call c1 t\narg a 5\nhéllo\nend\n'];
  const recordings = messages.map((message, i) => answer(message, { model: `m${i}`, task: `t${i}` }));
  const rows = await runMiscount(recordings, OPTIONS);
  expect(rows.summary.filter(({ text, size }) => text === 'all' && size === 'all').map(({ model }) => model)).toEqual([
    'm0',
    'm1',
  ]);
  for (const { view } of chartsOfD(rows)) expect(view).toMatchObject({ facet: { row: { field: 'model' } } });
});
