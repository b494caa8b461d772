/** The program of the report page: charts drawn by Vega, tables from the embedded CSV, the theme, the byte scrubber. */
import type { ScrubberData } from '../scrubber-types.ts';
import { mountContents } from './contents.ts';
import { drawCharts } from './draw-charts.ts';
import { embeddedJson } from './embedded.ts';
import { mountScrubber } from './scrubber.ts';
import { mountTables } from './tables.ts';
import { mountTheme } from './theme.ts';

const charts = drawCharts();
mountTheme((theme) => charts.show(theme));
mountTables();
mountContents();
const scrubber = document.getElementById('scrubber-root');
if (scrubber !== null) mountScrubber(scrubber, embeddedJson<ScrubberData>('#scrubber-data'));
// For tests: everything that is drawn at the start has been drawn.
charts.drawn.then(() => {
  document.documentElement.dataset['ready'] = 'yes';
});
