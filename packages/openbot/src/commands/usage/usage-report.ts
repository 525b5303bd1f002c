import {
  cutEnd,
  cutMiddle,
  drawBar,
  formatCount,
  formatQuantity,
  layOutTable,
  type Palette,
  padEnd,
  printable,
  roundCount,
  type TableColumn,
  textWidth,
  wrapText,
} from '@openbot/sessions/terminal-text';
import { sortModels } from '../../usage/describe-usage.ts';
import type { UsageRequestInput } from '../../usage/gather-usage.ts';
import type { GroupedUsage, Grouping, UsageFigures, UsageGroup } from '../../usage/group-usage.ts';

interface UsageView {
  readonly request: UsageRequestInput;
  readonly places: readonly string[];
  readonly breakdown: boolean;
  readonly columns: number;
  readonly palette: Palette;
}

/** One line of the table: a group, a model of it, or the sum. */
interface Line {
  readonly kind: 'group' | 'model' | 'total';
  readonly name: string;
  readonly models: string;
  readonly figures: UsageFigures;
}

/** Where there is no edge. */
const USUAL_COLUMNS = 100;
/** From here on figures are written out. */
const WIDE = 100;
const NO_PRICE = '–';

const TITLES: Readonly<Record<Grouping, string>> = {
  day: 'Date',
  month: 'Month',
  session: 'Session',
  model: 'Model',
  channel: 'Channel',
};

export function formatUsage(grouped: GroupedUsage, shown: readonly UsageGroup[], view: UsageView): string {
  const { groups, totals, unpricedModels, priceTable } = grouped;
  const { request, breakdown, places, palette } = view;
  if (groups.length === 0)
    return `No usage ${describeRange(request)}in ${places.map(printable).join(', ')}.\n`;
  const columns = Math.min(view.columns, 200);
  const width = columns === 200 && view.columns > 200 ? USUAL_COLUMNS : columns;
  const lines: Line[] = [
    ...shown.flatMap((group) => listLines(group, request.by, breakdown)),
    { kind: 'total', name: 'Total', models: '', figures: totals },
  ];
  const notes = [
    ...(shown.length < groups.length
      ? [`Shows ${shown.length} of ${formatQuantity(groups.length, 'row')}; the total is of all.`]
      : []),
    ...(unpricedModels.length > 0
      ? [
          `Unknown price: ${unpricedModels.map(printable).join(', ')}; cost is without it. Set one in models.providers of openbot.json, or in a table of your own (usage.prices).`,
        ]
      : []),
    ...(totals.costSources.has('built-in') ? [`Prices: the built-in table of ${priceTable.date}.`] : []),
    ...(totals.costSources.has('table')
      ? [`Prices: ${printable(priceTable.path ?? '')}, of ${printable(priceTable.date)}.`]
      : []),
  ];
  const text = [
    ...layOut(lines, request.by, width, palette),
    ...notes.flatMap((note) => wrapText(note, width)).map(palette.dim),
  ];
  return `${text.join('\n')}\n`;
}

function describeRange({ since, until, agentId }: UsageRequestInput): string {
  const parts = [
    ...(agentId === undefined ? [] : [`of ${printable(agentId)}`]),
    ...(since === undefined ? [] : [`since ${since}`]),
    ...(until === undefined ? [] : [`until ${until}`]),
  ];
  return parts.length === 0 ? '' : `${parts.join(' ')} `;
}

function listLines(group: UsageGroup, by: Grouping, breakdown: boolean): Line[] {
  const models = by === 'model' ? [] : sortModels(group.models);
  const names = new Set(models.map(([name]) => printable(shortModel(name))));
  // Where two have the same name without their dates, the dates tell them apart.
  const nameModel = names.size < models.length ? (name: string) => name : shortModel;
  return [
    { kind: 'group', name: nameOf(group), models: [...names].join(', '), figures: group.figures },
    ...(breakdown ? models : []).map(
      ([name, figures]): Line => ({
        kind: 'model',
        name: ` └ ${printable(nameModel(name))}`,
        models: '',
        figures,
      }),
    ),
  ];
}

/** What a person knows a session by. */
function nameOf({ name, session }: UsageGroup): string {
  return printable(session?.label ?? session?.sessionKey ?? name);
}

const shortModel = (name: string) => name.replace(/^claude-/, '').replace(/-\d{8}(?=-fast$|$)/, '');

function layOut(lines: readonly Line[], by: Grouping, columns: number, palette: Palette): string[] {
  const count = columns >= WIDE ? formatCount : roundCount;
  const barWidth = columns >= 120 ? 24 : columns >= 72 ? 12 : columns >= 40 ? 6 : 0;
  const tableWidth = columns - (barWidth === 0 ? 0 : barWidth + 2);
  const rows = layOutTable(tableColumns(lines, by, count), lines, tableWidth, (text, { kind }) =>
    kind === 'total' ? palette.bold(text) : kind === 'model' ? palette.dim(text) : text,
  );
  const isCost = lines.some(({ kind, figures }) => kind === 'group' && figures.totalCost > 0);
  const weigh = ({ figures }: Line) => (isCost ? figures.totalCost : figures.totalTokens);
  const most = Math.max(...lines.filter(({ kind }) => kind === 'group').map(weigh));
  const used = Math.max(...rows.map(textWidth));
  const [titles, ...others] = rows;
  return [
    palette.dim(titles!),
    ...others.map((row, at) => {
      const line = lines[at]!;
      const bar = line.kind === 'group' && barWidth > 0 ? drawBar(weigh(line), most, barWidth) : '';
      return bar === '' ? row : `${padEnd(row, used)}  ${palette.cyan(bar)}`;
    }),
  ];
}

function tableColumns(
  lines: readonly Line[],
  by: Grouping,
  count: (tokens: number) => string,
): TableColumn<Line>[] {
  const tokens = (title: string, leave: number, read: (figures: UsageFigures) => number) => ({
    title,
    isFigure: true,
    isSpare: title.startsWith('Cache'),
    leave,
    show: ({ figures }: Line) => count(read(figures)),
  });
  // Where all of it is less than a dollar, parts of a cent count.
  const inCents = lines.some(
    ({ kind, figures }) => kind === 'total' && (figures.totalCost >= 1 || figures.totalCost === 0),
  );
  const hasModels = lines.some(({ models }) => models !== '');
  return [
    {
      title: TITLES[by],
      show: ({ name }) => name,
      cut: cutMiddle,
      least: 10,
      good: by === 'session' ? 24 : 16,
    },
    ...(hasModels
      ? [
          {
            title: 'Models',
            show: ({ models }: Line) => models,
            cut: cutEnd,
            least: 8,
            good: 12,
            isSpare: true,
            leave: 1,
          },
        ]
      : []),
    tokens('Input', 4, ({ inputTokens }) => inputTokens),
    tokens('Output', 5, ({ outputTokens }) => outputTokens),
    tokens('Cache write', 2, ({ cacheCreationTokens }) => cacheCreationTokens),
    tokens('Cache read', 3, ({ cacheReadTokens }) => cacheReadTokens),
    tokens('Tokens', 9, ({ totalTokens }) => totalTokens),
    { title: 'Cost', isFigure: true, show: ({ figures }) => formatCost(figures, inCents) },
  ];
}

/** What has no price is never shown as free. */
function formatCost({ totalCost, unpricedTokens, costSources }: UsageFigures, inCents: boolean): string {
  if (unpricedTokens === 0) return formatDollars(totalCost, inCents);
  return costSources.size === 1 ? NO_PRICE : `≥ ${formatDollars(totalCost, inCents)}`;
}

function formatDollars(usd: number, inCents: boolean): string {
  if (!inCents) return `$${usd.toFixed(4)}`;
  if (usd > 0 && usd < 0.005) return '< $0.01';
  const [whole, cents] = usd.toFixed(2).split('.');
  return `$${formatCount(Number(whole))}.${cents}`;
}
