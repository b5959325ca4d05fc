// The report: queries, rankings and charts of the record that the page holds.

import {amountBar, differenceBar, drawSlopes, figure, legend, onWidth} from '../../pages/charts.js';
import {announce, button, copy, direction, download, el, field, gradeText, id, goldLegend, number, opening, redraw, select, shortened, signed, table, text, visible} from '../../pages/dom.js';
import {differences, heat, histogram, intervals, lines, scatter, tradeoff} from './charts.js';

const PAGE = 25;
const LISTED = 5;
const MISSING = 3;
const CHANCES = 10;
const KEYS_TEXT = 'Keys: / filter, j next query, k previous query, m next measure, ? keys';
const TABS = {differences: 'Differences', scatter: 'Scatter plot', histogram: 'Distribution', heat: 'Heat map'};
const part = (name) => document.getElementById(name);

async function unpacked() {
  const bytes = Uint8Array.from(atob(part('data').textContent), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'))).json();
}

const record = await unpacked();
for (const name of ['lists', 'documents', 'groups']) Object.setPrototypeOf(record[name], null); // ids are no properties of objects
const rowOf = new Map(record.queries.map((query, row) => [query, row]));
const groups = Object.entries(record.groups).flatMap(([name, cells]) => [...new Set(cells)].filter(Boolean).sort().map((cell) => `${name}: ${cell}`));
const [first, ...others] = record.runs;
const signOf = (measure) => (record.better[measure] === 'lower' ? -1 : 1);
const usual = {m: record.measures[0], a: record.pair.length > 1 ? record.pair[0] : '', b: record.pair.at(-1), t: 'differences', g: '', f: '', s: others.length ? 'difference' : 'value', d: 'up', p: '0', q: ''};
let state = {...usual};
let isFirst = true;

/** The state that the address holds; what does not fit is as usual. */
function read() {
  const held = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  const known = {m: record.measures, a: ['', ...record.runs], b: record.runs, t: Object.keys(TABS), g: ['', ...groups], d: ['up', 'down'], s: Object.keys(KEYS)};
  state = Object.fromEntries(Object.entries(usual).map(([name, value]) => [name, name in held && (known[name]?.includes(held[name]) ?? true) ? held[name] : value]));
  if (state.a === state.b) state.a = '';
  if (!rowOf.has(state.q)) state.q = '';
}

/** What of a state is not as usual, as an address holds it. */
const address = (held) => new URLSearchParams(Object.entries(held).filter(([name, value]) => value !== usual[name]));

function set(change) {
  const former = state.b;
  state = {...state, ...change};
  if (state.a === state.b) state.a = former;
  history[change.q ? 'pushState' : 'replaceState'](null, '', `#${address(state)}`);
  draw(!('f' in change)); // who types keeps the field
}

const KEYS = {id: (row) => row.text || row.id, base: (row) => row.base, value: (row) => row.value, difference: (row) => row.gain, unjudged: (row) => row.unjudged};

/** The queries with their values by the measure, in the group, and with the text that is looked for. */
function chosen({g, f} = state) {
  const [column, cell] = g ? [g.slice(0, g.indexOf(': ')), g.slice(g.indexOf(': ') + 2)] : [];
  const wanted = f.toLowerCase();
  const rows = record.queries.map((query, row) => {
    const [base, value] = [state.a ? record.values[state.a][state.m][row] : null, record.values[state.b][state.m][row]];
    const judged = record.judged[state.b]?.[row] ?? null;
    const difference = base === null || value === null ? null : value - base;
    return {
      id: query, row, text: record.texts[row], base, value, unjudged: judged === null ? null : 1 - judged,
      difference, gain: difference === null ? null : signOf(state.m) * difference, values: record.runs.map((run) => record.values[run][state.m][row]),
    };
  });
  return rows.filter((row) => (!column || record.groups[column][row.row] === cell) && `${row.id}\n${row.text}`.toLowerCase().includes(wanted));
}

function sorted(rows) {
  const key = KEYS[state.s];
  const compare = (one, other) => (typeof one === 'string' ? one.localeCompare(other) : (one ?? Infinity) - (other ?? Infinity));
  const found = rows.toSorted((one, other) => compare(key(one), key(other)));
  return state.d === 'up' ? found : found.reverse();
}

function draw(withTools = true) {
  if (withTools) drawTools();
  drawChoice();
  drawPair();
  drawExtremes();
  drawQueries(chosen());
  drawQuery();
  drawCurves();
}

/** Of several runs, the two that are compared, above their cards. */
function drawChoice() {
  if (others.length < 2) return;
  const picker = (name, key, runs) => field(name, select(runs, state[key], (value) => set({[key]: value, p: '0'}), {'data-key': `pair-${key}`}));
  redraw(part('choice'), el('div', {class: 'bar'}, picker('Compared', 'b', record.runs), picker('with', 'a', record.runs.filter((run) => run !== state.b))));
}

/** The cards of another pair of runs, as the page has those of the first one. */
function drawPair() {
  const shown = part('pair');
  const cards = record.sources.cards[`${state.a}\n${state.b}`];
  if (!shown || shown.dataset.pair === `${state.a}\n${state.b}`) return;
  shown.dataset.pair = `${state.a}\n${state.b}`;
  shown.innerHTML = cards ?? ''; // written and escaped by the library, as the rest of the page
  if (!cards) shown.append(el('p', {class: 'small'}, 'Choose two runs to see their differences.'));
}

const kindOf = (word) => ({better: 'up', worse: 'down'}[word] ?? 'level');
const against = (one) => (record.comparison.baseline || record.runs.length < 3 ? '' : ` \u2212 ${one.first}`);
const effect = (one) => signOf(one.measure) * (one.difference ?? -Infinity);
const differenceRow = (name) => (one) => ({name: name(one), value: one.difference, low: one.low, high: one.high, innerLow: one.low === null && one.word !== 'equivalent' ? null : one.equivalence_low, innerHigh: one.equivalence_high, kind: kindOf(one.word), text: `${signed(one.difference)} ${one.word}`});
const saidOf = (groups) => groups.flatMap((group) => group.rows.map((row) => `${[group.name, row.name].filter(Boolean).join(', ')}: ${row.text}`)).join('; ');

/** Rows by measure, the best first; where each measure has a single row, this has its name and there are no groups. */
function byMeasure(rows, row) {
  const margins = record.comparison?.margins ?? {};
  if (rows.length === record.measures.length && new Set(Object.values(margins)).size < 2) return [{name: '', margin: Object.values(margins)[0], rows: rows.map(row((one) => one.measure))}];
  return record.measures.map((measure) => ({
    name: record.better[measure] === 'lower' ? `${measure} (lower is better)` : measure, margin: margins[measure],
    rows: rows.filter((one) => one.measure === measure).toSorted((one, other) => effect(other) - effect(one)).map(row((one) => `${one.second}${one.first ? against(one) : ''}`)),
  }));
}

function drawScores() {
  const compared = record.comparison?.differences ?? [];
  const forest = byMeasure(compared, differenceRow);
  const means = record.measures.flatMap((measure) => record.runs.map((run) => {
    const [low, high] = record.intervals[run]?.[measure] ?? [];
    return {measure, second: run, difference: record.means[run][measure], low, high};
  }));
  const meanRow = (name) => (one) => ({name: name(one), value: one.difference, low: one.low, high: one.high, text: number(one.difference)});
  const ofMeans = byMeasure(means, meanRow).map((group) => ({...group, margin: 0}));
  const slices = Object.entries(record.comparison?.slices ?? {}).map(([column, several]) => {
    const rows = several.filter((one) => one.measure === record.lead).map(differenceRow((one) => `${one.group}${others.length > 1 ? `, ${one.second}${against(one)}` : ''}`));
    const groups = [{name: '', margin: record.comparison.margins[record.lead], rows}];
    return [el('h3', {}, `${record.lead} by `, text(column)), figure(intervals(`${record.lead} by ${column}`, saidOf(groups), groups), `${record.lead} by ${column}`)];
  });
  const margin = forest.length === 1 && forest[0].margin;
  redraw(part('forest'),
    compared.length ? [el('h3', {}, 'Differences from ', record.comparison.baseline ? text(record.comparison.baseline) : 'each other', ` with the ${Math.round(record.comparison.level * 100)} % intervals that decide${margin ? `; shaded: margin ±${margin}, thick: the interval that decides on it` : ''}`), figure(intervals('Differences', saidOf(forest), forest), 'differences by measure')] : null,
    el('details', {open: !compared.length}, el('summary', {}, 'Means with 95 % intervals'), figure(intervals('Means', saidOf(ofMeans), ofMeans), 'means')),
    ...slices.flat());
  redraw(part('copies'), el('div', {class: 'bar'}, button('Copy as Markdown', () => copy(record.sources.markdown, 'Tables')), button('Copy as LaTeX', () => copy(record.sources.latex, 'Tables'))));
}

/** The runs by two measures, with their names in a list where these do not fit beside the points. */
function drawTradeoff() {
  if (!record.tradeoff) return;
  const {x, y, rows} = record.tradeoff;
  const better = [x, y].map((measure) => (record.better[measure] === 'lower' ? 'lower is better' : ''));
  const [drawing, isNumbered] = tradeoff(rows, [x, y], better);
  redraw(part('plane'), figure(drawing, 'accuracy and catalogue'), isNumbered ? el('ol', {class: 'small'}, rows.map((row) => el('li', {}, text(row.run)))) : null,
    el('p', {class: 'hint'}, 'Better is up and right. Filled and joined: the Pareto set. Lines: 95 % intervals.'));
}

const sizes = new ResizeObserver(() => drawSlopes(part('query')));
const tools = el('div', {});
const list = el('div', {});

function drawTools() {
  const picker = (name, key, choices) => field(name, select(choices, state[key], (value) => set({[key]: value, p: '0'}), {'data-key': key}));
  const filter = el('input', {type: 'search', value: state.f, placeholder: 'id or text', dir: 'auto', 'data-key': 'f', on: {input: (event) => set({f: event.target.value, p: '0'})}});
  redraw(tools, el('div', {class: 'bar'},
    picker('Measure', 'm', record.measures), ...(others.length ? [picker('Baseline', 'a', [['', 'none'], ...record.runs.filter((run) => run !== state.b)]), picker('Compared', 'b', record.runs)] : []),
    groups.length ? picker('Group', 'g', [['', 'all'], ...groups]) : null, field('Filter', filter)));
}

function drawQueries(rows) {
  const known = rows.filter((row) => row.difference !== null);
  const tabs = Object.keys(TABS).filter((tab) => (tab === 'heat' ? others.length : tab === 'histogram' || state.a));
  const tab = tabs.includes(state.t) ? state.t : tabs[0];
  redraw(list, el('div', {class: 'bar', role: 'group', 'aria-label': 'Charts'}, tabs.map((name) => button(TABS[name], () => set({t: name}), {'aria-pressed': String(name === tab), 'data-key': `t-${name}`}))),
    drawn(tab, rows, known), el('p', {class: 'small'}, summary(known)), queryTable(rows));
}

const count = (size) => size.toLocaleString('en');

const summary = (known) => {
  if (!known.length || record.whole.includes(state.m)) return '';
  const [gains, losses] = [known.filter((row) => row.gain > 0).length, known.filter((row) => row.gain < 0).length];
  return `${state.b} is better on ${count(gains)}, worse on ${count(losses)} and equal on ${count(known.length - gains - losses)} of ${count(known.length)} queries.`;
};

/** All queries from the largest loss to the largest gain; of a single run from the lowest value to the highest. */
const ranked = (rows) => (record.whole.includes(state.m) ? [] : state.a ? rows.filter((row) => row.gain !== null).toSorted((one, other) => one.gain - other.gain)
  : rows.filter((row) => row.value !== null).toSorted((one, other) => signOf(state.m) * (one.value - other.value)));

/** The query that is open: the one of the address, or else the largest loss. */
function openedQuery() {
  if (state.q) return state.q;
  const rows = ranked(chosen({f: '', g: ''}));
  const isExplained = (row) => !record.listed.length || row.id in record.lists;
  const losses = rows.filter((row) => !state.a || row.gain < 0);
  return (losses.find(isExplained) ?? (state.a ? rows.findLast((row) => row.gain > 0) : null) ?? rows[0])?.id ?? record.queries[0];
}

/** The queries that lose and gain most side by side, or those with the lowest and the highest values. */
function drawExtremes() {
  if (isFirst && ['m', 'a', 'b'].every((name) => state[name] === usual[name])) { // as the page was written, without addresses
    part('extremes').querySelectorAll('a').forEach((link) => link.setAttribute('href', `#${address({...state, q: link.dataset.query})}`));
    return;
  }
  isFirst = false;
  const rows = ranked(chosen({f: '', g: ''}));
  const ends = state.a ? [rows.filter((row) => row.gain < 0), rows.filter((row) => row.gain > 0).reverse()] : [rows, rows.toReversed()];
  const words = state.a ? ['loses most', 'gains most'] : (signOf(state.m) < 0 ? ['highest', 'lowest'] : ['lowest', 'highest']).map((end) => `has its ${end} values`);
  const largest = Math.max(...rows.map((row) => Math.abs(state.a ? row.gain : row.value)), 1e-9);
  const by = state.m === record.lead ? '' : ` by ${state.m}`;
  redraw(part('extremes'), rows.length ? ends.map((some, side) => el('div', {}, el('h2', {}, 'Where ', text(state.b), ` ${words[side]}${by}`),
    some.length ? el('ol', {class: 'extremes'}, some.slice(0, LISTED).map((row) => el('li', {}, extreme(row, largest)))) : el('p', {class: 'small'}, side ? 'No query gains.' : 'No query loses.')))
    : el('p', {class: 'small'}, `By ${state.m} no query has a value of its own.`));
}

/** A query with its values and a bar, all of it a link to its rankings. */
function extreme(row, largest) {
  const [base, value] = [row.base, row.value].map((each) => number(each, 2));
  const values = !state.a || base !== value ? [base, value] : [number(row.base), number(row.value)];
  const size = state.a ? `${signed(row.difference)}, ` : '';
  return el('a', {href: `#${address({...state, q: row.id})}`, 'data-query': row.id, title: `${size}${visible(row.id)}`},
    el('span', {class: 'clip', dir: row.text ? 'auto' : 'ltr'}, visible(shortened(row.text || row.id))),
    el('span', {class: 'small'}, state.a ? `${values[0]} → ${values[1]}` : number(row.value)),
    state.a ? differenceBar(row.gain, largest, 120) : amountBar(row.value, largest, 120, true));
}

const queryButton = (row, attributes = {}) => el('span', {}, button(row.text ? text(shortened(row.text)) : id(shortened(row.id)), () => openQuery(row.id), {class: 'link', ...attributes}), row.text ? id(` ${shortened(row.id)}`, {class: 'small'}) : null);

function drawn(tab, rows, known) {
  const title = `${state.m}: ${state.a ? `${state.b} and ${state.a}` : state.b}`;
  if (!rows.length) return el('p', {class: 'hint'}, 'No query has this id or text.');
  if (tab === 'differences') return figure(differences(known.toSorted((one, other) => other.gain - one.gain), `${state.m}, ${state.b} less ${state.a}, query by query`, summary(known), [state.a, state.b]), `${state.m} differences`);
  if (tab === 'scatter') return el('div', {class: 'square'}, figure(scatter(known, [state.a, state.b], title, signOf(state.m)), `${state.m} scatter`));
  if (tab === 'heat') {
    const range = (row) => Math.max(...row.values.map((value) => value ?? 0)) - Math.min(...row.values.map((value) => value ?? 0));
    const sentence = `${signOf(state.m) < 0 ? 'Lighter' : 'Darker'} is better; queries on which runs differ most stand left.`;
    return el('div', {}, figure(heat(rows.toSorted((one, other) => range(other) - range(one)), record.runs, `${state.m} of all runs`, sentence), `${state.m} heat map`), el('p', {class: 'hint'}, sentence));
  }
  const series = new Map((state.a ? [state.a, state.b] : [state.b]).map((run) => [run, rows.map((row) => record.values[run][state.m][row.row])]));
  return el('div', {}, figure(histogram(series, `${state.m}: how many queries have which value`), `${state.m} distribution`), el('p', {class: 'legend'}, legend([...series.keys()]).map(([mark, name]) => el('span', {}, mark, ` ${name}`))));
}

function queryTable(rows) {
  const pages = Math.max(1, Math.ceil(rows.length / PAGE));
  const at = Math.min(Math.max(Number(state.p) || 0, 0), pages - 1);
  const heading = (key, name) => button(`${name}${state.s === key ? (state.d === 'up' ? ' ▲' : ' ▼') : ''}`, () => set({s: key, d: state.s === key && state.d === 'up' ? 'down' : 'up', p: '0'}), {class: 'link', 'data-key': `s-${key}`});
  const columns = [['id', 'query'], ...(state.a ? [['base', state.a]] : []), ['value', state.b], ...(state.a ? [['difference', 'difference']] : []), ...(record.judged[state.b]?.some((share) => share !== null && share < 1) ? [['unjudged', 'unjudged in the first 10']] : [])];
  const opened = openedQuery();
  const cells = sorted(rows).slice(at * PAGE, (at + 1) * PAGE).map((row) => columns.map(([key]) => {
    if (key === 'id') return el('span', {}, queryButton(row, {'aria-pressed': String(row.id === opened), 'data-key': `q-${row.id}`}), row.id in record.lists ? null : el('span', {class: 'small'}, ' (values only)'));
    if (key === 'difference') return el('span', {class: direction(row.gain)}, signed(row.difference));
    return key === 'unjudged' ? (row.unjudged ? `${Math.round(row.unjudged * 100)} %` : '') : number(row[key]);
  }));
  const sorting = (key) => (state.s === key ? (state.d === 'up' ? 'ascending' : 'descending') : null);
  return el('div', {class: 'by-query stacked'}, table(`${count(rows.length)} of ${count(record.queries.length)} queries`, columns.map(([key, name]) => ({name: heading(key, name), number: key !== 'id', sorted: sorting(key)})), cells),
    el('div', {class: 'bar'}, button('Previous', () => set({p: String(at - 1)}), {disabled: at === 0, 'aria-label': 'Previous page', 'data-key': 'before'}), `page ${at + 1} of ${pages}`, button('Next', () => set({p: String(at + 1)}), {disabled: at === pages - 1, 'aria-label': 'Next page', 'data-key': 'next'})));
}

function openQuery(query, change = {}) {
  set({q: query, ...change});
  part('query').scrollIntoView({block: 'start'});
  part('query').querySelector('h2')?.focus();
}

function drawQuery() {
  const query = openedQuery();
  const row = rowOf.get(query);
  const held = record.lists[query] ?? {};
  const runs = (state.a ? [state.a, state.b] : [state.b]);
  const sides = runs.map((run) => [run, held[run]]);
  sizes.disconnect();
  redraw(part('query'), el('p', {class: 'kicker'}, kicker(query)), el('h2', {tabindex: -1}, text(shortened(record.texts[row] || query, 400)), ' ', id(record.texts[row] ? query : '', {class: 'small'})),
    el('div', {class: 'bar'}, button('Previous', () => step(-1), {'aria-label': 'Previous query (k)', 'data-key': 'k'}), button('Next', () => step(1), {'aria-label': 'Next query (j)', 'data-key': 'j'})),
    el('p', {class: 'small'}, `Rank, grade (? = not judged), adds to ${record.lead}${sides.length > 1 ? ', rank in the other run' : ''}; 6–7: equal scores.`), record.marks[query] ? goldLegend() : null,
    el('div', {class: 'pair'}, side(query, sides, 0), sides.length > 1 ? [el('div', {class: 'slopes'}), side(query, sides, 1)] : null));
  part('query').querySelectorAll('.documents').forEach((documents) => sizes.observe(documents));
}

/** How the open query stands among all: in which place by its loss or gain, or by its value. */
function kicker(query) {
  const rows = ranked(chosen({f: '', g: ''}));
  const at = rows.findIndex((row) => row.id === query);
  if (at < 0) return 'Query';
  if (!state.a) return at === 0 ? 'Worst value' : `Query ${count(at + 1)} of ${count(rows.length)}, from the worst value on`;
  const {gain, difference} = rows[at];
  const place = gain < 0 ? at : rows.length - 1 - at;
  return gain === 0 ? 'No difference' : `${gain < 0 ? 'Loss' : 'Gain'} of ${number(Math.abs(difference))} by ${state.m}, ${place === 0 ? 'the largest' : `number ${count(place + 1)}`}`;
}

const depth = Number(/@(\d+)/.exec(record.lead)?.[1] ?? 10); // of the rankings that are shown
const rowsOf = (side) => (side?.rows ?? []).map(([document, grade, adds, from, to, ranks]) => ({document, grade, adds, from, to, ranks}));

function side(query, sides, place) {
  const [run, held] = sides[place];
  const [other, against] = sides[1 - place] ?? [];
  const there = against ? record.listed.filter((name) => name in record.lists[query]).indexOf(other) : -1;
  const heading = el('div', {class: 'sum'}, el('h3', {}, text(run), ` ${record.lead} ${number(held?.value ?? record.values[run][record.lead][rowOf.get(query)])}`), el('p', {class: 'small'}, held?.arithmetic ?? ''));
  if (!held) return el('div', {class: 'side'}, heading, el('p', {class: 'hint'}, query in record.lists ? `Rankings of ${run} are not on the page.` : 'The ranking is not on the page.'));
  return el('div', {class: 'side'}, heading,
    el('ol', {class: 'documents', 'aria-label': `Ranking of ${run}`}, rowsOf(held).map((row, rank) => listed(query, row, rank, other, there < 0 ? undefined : row.ranks[there]))),
    held.missing.length ? [el('h4', {}, `Relevant, but below rank ${depth} or missing`), missingList(query, held.missing.slice(0, MISSING)),
      held.missing.length > MISSING ? el('details', {class: 'small'}, el('summary', {}, `${held.missing.length - MISSING} more`), missingList(query, held.missing.slice(MISSING))) : null] : null);
}

/** Relevant documents with their grades, where they stand, and what they would add at their best rank. */
const missingList = (query, documents) => el('ul', {class: 'missing'}, documents.map(([document, grade, rank, change]) => el('li', {},
  record.documents[document] ? said(query, document) : id(document, {class: 'clip'}),
  el('span', {class: 'small'}, `grade ${grade}, ${rank === null ? 'not retrieved' : `rank ${rank}`}`),
  el('span', {class: 'small number', title: 'what the value gains if the document stands at its best rank'}, change ? signed(change) : ''))));

/** What a document says; the gold of the query is marked in pieces of sources, whose whole text can be opened. */
function said(query, document) {
  const marks = record.marks[query];
  return marks ? opening(record.documents[document], document, marks[document] ?? []) : text(record.documents[document], {class: 'clip', title: visible(document)});
}

/** A document; its rank in the other run is null where that lacks it, undefined where that has no ranking here. */
function listed(query, row, rank, other, there) {
  const isSaid = Boolean(record.documents[row.document]);
  const place = row.from === row.to ? String(rank + 1) : `${row.from}–${row.to}`;
  const shift = there ? there - rank - 1 : 0;
  const moved = there === undefined ? '' : there === null ? 'only here' : shift ? `rank ${there} in ${other}` : `also rank ${there}`;
  return el('li', {class: `document${row.from !== row.to ? ' tied' : ''}`, 'data-document': row.document}, el('span', {class: 'rank'}, place),
    el('span', {class: `chip grade-${row.grade === null ? 'none' : Math.min(Math.max(Math.round(row.grade), 0), 4)}`, title: row.grade === null ? 'unjudged' : 'grade'}, gradeText(row.grade)),
    el('span', {class: 'title'}, isSaid ? said(query, row.document) : null, id(row.document, {class: isSaid ? 'small' : ''})),
    el('span', {class: 'number small'}, row.adds ? `+${number(row.adds)}` : ''), el('span', {class: `small elsewhere${moved === 'only here' && row.grade > 0 ? ' relevant' : ''}`}, moved));
}

/** The next query of the table, or the one before. */
function step(by) {
  const rows = sorted(chosen());
  if (!rows.length) return;
  const opened = openedQuery();
  const at = rows.findIndex((row) => row.id === opened);
  const next = Math.min(Math.max(at < 0 ? 0 : at + by, 0), rows.length - 1);
  openQuery(rows[next].id, {p: String(Math.floor(next / PAGE))});
  announce(`query ${next + 1} of ${rows.length}`);
}

function drawCurves() {
  const of = (rows, at) => new Map([...Map.groupBy(rows, (row) => row.run)].map(([run, several]) => [run, several.map((row) => ({at: row[at], value: row.value}))]));
  const measure = state.m.replace(/@\d+$/, '');
  const atK = of(record.at_k.filter((row) => row.measure === measure), 'cutoff');
  const recall = of(record.recall, 'recall');
  const shown = (series, title, ends) => el('div', {}, el('h3', {}, title), figure(lines(series, title), title), ends ? el('p', {class: 'hint'}, ends) : null, el('p', {class: 'legend'}, legend([...series.keys()]).map(([mark, name]) => el('span', {}, mark, ` ${name}`))));
  redraw(part('curves'), atK.size || recall.size ? el('h2', {}, 'Cutoffs and recall') : null, el('div', {class: 'cards wide'}, atK.size ? shown(atK, `${measure} at each cutoff`, `Each curve ends where its run ends: ${lastRanks()}.`) : null,
    recall.size ? shown(recall, 'Interpolated precision by recall', `The ${lastRanks()}: what is relevant and stands lower is not found, so that precision is 0 at a recall that is not reached.`) : null));
}

/** At which rank each run ends, in words. */
function lastRanks() {
  const ends = Object.entries(record.ends);
  if (new Set(ends.map(([, rank]) => rank)).size === 1) return `${ends.length > 1 ? 'runs end' : 'run ends'} at rank ${ends[0][1]}`;
  return `runs end at rank ${ends.map(([run, rank]) => `${rank} (${run})`).join(', ')}`;
}

function drawChances() {
  const rows = record.chances.slice(0, CHANCES).map((one) => [queryButton({id: one.query, text: record.texts[rowOf.get(one.query)]}),
    el('span', {}, id(shortened(one.document)), el('span', {class: 'small'}, ` grade ${one.grade}, ${one.rank === null ? 'not retrieved' : `rank ${one.rank}`}`, others.length > 1 ? `, ${visible(one.run)}` : '')),
    signed(one.change), signed(one.of_mean)]);
  const columns = [{name: 'query'}, {name: 'document'}, {name: record.lead, number: true}, {name: 'mean', number: true}];
  const where = record.tried < record.queries.length ? `in ${record.tried} queries that differ most or are worst` : 'in all queries';
  redraw(part('chances'), rows.length ? [el('h2', {}, 'What to do next', ...(others.length > 1 ? [] : [', for ', text(usual.b)])), el('div', {class: 'stacked'}, table(`Relevant documents that would raise the mean most if they stood at their best ranks, ${where}`, columns, rows))] : null);
}

function drawProfiles() {
  const cell = (value, usual_) => (value === null || usual_ === null || value === usual_ ? number(value) : el('span', {}, `${number(value)} `, el('span', {class: 'differs'}, signed(value - usual_))));
  const tables = [...Map.groupBy(record.profiles, (row) => row.run)].map(([run, rows]) => {
    const mine = rows.find((row) => row.profile === record.profile)?.values ?? [];
    return table(`${run} under every profile`, [{name: 'profile'}, ...record.measures.map((name) => ({name, number: true}))], rows.map((row) => [id(row.profile), ...record.measures.map((_, place) => (row.values ? cell(row.values[place] ?? null, mine[place] ?? null) : 'refused'))]));
  });
  redraw(part('profiles'), tables.length ? [el('h2', {}, 'The runs under every profile'), el('p', {}, `Other tools give other values for the same files; differences are from the conventions of this report (${record.profile}).`), ...tables.map((each) => el('details', {}, el('summary', {}, each.getAttribute('aria-label')), each))] : null);
}

function begin() {
  const themes = ['auto', 'light', 'dark'];
  const theme = button('◐', () => {
    const next = themes[(themes.indexOf(document.documentElement.dataset.theme ?? 'auto') + 1) % 3];
    document.documentElement.dataset.theme = next;
    theme.setAttribute('aria-label', `Theme: ${next}`);
    announce(`Theme: ${next}`);
  }, {class: 'link', 'aria-label': 'Theme: auto', title: 'Theme: auto, light or dark'});
  part('tools').append(button('Data', () => download('report.json', JSON.stringify(record)), {class: 'link', title: 'Download the data of the page (JSON)'}), button('Print', () => print(), {class: 'link'}), theme);
  window.addEventListener('beforeprint', () => document.querySelectorAll('#details, #scores > details').forEach((each) => { each.open = true; }));
  document.querySelector('.skip').addEventListener('click', (event) => { event.preventDefault(); part('main').focus(); });
  document.addEventListener('click', (event) => {
    const target = event.target.closest?.('[data-query]');
    if (!target || event.ctrlKey || event.metaKey || event.shiftKey) return; // a link may be opened elsewhere
    event.preventDefault();
    openQuery(target.dataset.query);
  });
  document.addEventListener('keydown', (event) => {
    if (event.target.matches('input, select') || event.ctrlKey || event.metaKey || event.altKey) return;
    const actions = {'?': () => announce(KEYS_TEXT), j: () => step(1), k: () => step(-1), '/': () => document.querySelector('[data-key=f]').focus(), m: () => set({m: record.measures[(record.measures.indexOf(state.m) + 1) % record.measures.length]})};
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  });
  window.addEventListener('hashchange', () => { read(); draw(); });
  part('queries').append(el('h2', {}, 'All queries'), tools, list, el('p', {class: 'hint'}, KEYS_TEXT));
  read();
  const drawAll = () => { drawScores(); drawTradeoff(); draw(); };
  drawAll();
  part('pair')?.setAttribute('data-pair', `${usual.a}\n${usual.b}`);
  onWidth(drawAll);
  drawChances();
  drawProfiles();
}

begin();
