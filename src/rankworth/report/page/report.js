// The report: queries, rankings and charts of the record that the page holds.

import {drawSlopes, legend, onWidth} from '../../explorer/page/charts.js';
import {announce, button, copy, direction, download, el, field, gradeText, id, number, redraw, select, shortened, signed, table, text} from '../../explorer/page/dom.js';
import {differences, heat, histogram, intervals, lines, scatter, tradeoff} from './charts.js';

const PAGE = 50;
const LISTED = 5;
const KEYS_TEXT = 'keys: / filter, j next query, k query before, m next measure, ? keys';
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
const meanOf = (run) => signOf(record.lead) * (record.means[run][record.lead] ?? -Infinity);
const best = others.toSorted((one, other) => meanOf(other) - meanOf(one))[0];
const usual = {m: record.measures[0], a: others.length ? first : '', b: best ?? first, t: 'differences', g: '', f: '', s: others.length ? 'difference' : 'value', d: 'up', p: '0', q: ''};
let state = {...usual};

/** The state that the address holds; what does not fit is as usual. */
function read() {
  const held = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  const known = {m: record.measures, a: ['', ...record.runs], b: record.runs, t: Object.keys(TABS), g: ['', ...groups], d: ['up', 'down'], s: Object.keys(KEYS)};
  state = Object.fromEntries(Object.entries(usual).map(([name, value]) => [name, name in held && (known[name]?.includes(held[name]) ?? true) ? held[name] : value]));
  if (state.a === state.b) state.a = '';
  if (!rowOf.has(state.q)) state.q = '';
}

function set(change) {
  state = {...state, ...change};
  if (state.a === state.b) state.a = '';
  const held = Object.entries(state).filter(([name, value]) => value !== usual[name]);
  history[change.q ? 'pushState' : 'replaceState'](null, '', `#${new URLSearchParams(held)}`);
  draw(!('f' in change)); // who types keeps the field
}

const KEYS = {id: (row) => row.text || row.id, base: (row) => row.base, value: (row) => row.value, difference: (row) => row.gain, unjudged: (row) => row.unjudged};

/** The queries with their values by the measure, in the group, and with the text that is looked for. */
function chosen() {
  const [column, cell] = state.g ? [state.g.slice(0, state.g.indexOf(': ')), state.g.slice(state.g.indexOf(': ') + 2)] : [];
  const wanted = state.f.toLowerCase();
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
  drawQueries(chosen());
  drawQuery();
  drawCurves();
}

function drawScores() {
  const compared = record.comparison?.differences ?? [];
  const kind = {better: 'up', worse: 'down'};
  const against = (one) => (record.comparison.baseline || record.runs.length < 3 ? '' : ` \u2212 ${one.first}`);
  const rows = compared.map((one) => ({name: `${one.measure}, ${one.second}${against(one)}`, value: one.difference, low: one.low, high: one.high, kind: kind[one.word] ?? 'level', text: `${signed(one.difference)} ${one.word}`}));
  const margins = Object.values(record.comparison?.margins ?? {}).flatMap((margin) => [-margin, margin]);
  const means = record.measures.flatMap((measure) => record.runs.map((run) => {
    const [low, high] = record.intervals[run]?.[measure] ?? [];
    return {name: `${measure}, ${run}`, value: record.means[run][measure], low, high, text: number(record.means[run][measure])};
  }));
  const slices = Object.entries(record.comparison?.slices ?? {}).map(([column, several]) => {
    const parts = several.filter((one) => one.measure === record.lead).map((one) => ({name: `${one.group}${others.length > 1 ? `, ${one.second}${against(one)}` : ''}`, value: one.difference, low: one.low, high: one.high, kind: kind[one.word] ?? 'level', text: `${signed(one.difference)} ${one.word}`}));
    return [el('h3', {}, `${record.lead} by ${column}`), intervals(`${record.lead} by ${column}`, parts.map((row) => `${row.name}: ${row.text}`).join('; '), parts, {from: [0], marks: [0]})];
  });
  redraw(part('forest'),
    rows.length ? [el('h3', {}, `Differences from ${record.comparison.baseline || 'each other'} with ${Math.round(record.comparison.level * 100)} % intervals`), intervals('Differences', rows.map((row) => `${row.name}: ${row.text}`).join('; '), rows, {from: [0, ...margins], marks: [0, ...margins]})] : null,
    el('details', {open: !rows.length}, el('summary', {}, 'Means with 95 % intervals'), intervals('Means', means.map((row) => `${row.name}: ${row.text}`).join('; '), means, {from: [0]})),
    ...slices.flat(), tiedSystems(),
    el('div', {class: 'bar'}, button('Copy as Markdown', () => copy(record.sources.markdown, 'Tables')), button('Copy as LaTeX', () => copy(record.sources.latex, 'Tables'))));
}

/** The runs by mean, with a letter for each group of runs between which no difference is clear. */
function tiedSystems() {
  if (!record.tied.length) return null;
  const rows = record.tied.flat().filter((run, place, all) => all.indexOf(run) === place).map((run) => [
    text(run), number(record.means[run][record.lead]), record.tied.map((group, place) => (group.includes(run) ? String.fromCharCode(97 + (place % 26)) : '·')).join(' ')]);
  return el('div', {}, el('h3', {}, 'Runs that cannot be told apart'), el('p', {class: 'small'}, `Runs that share a letter do not differ clearly by ${record.lead} (all pairs, Tukey's test).`),
    table('Groups of runs', [{name: 'run'}, {name: record.lead, number: true}, {name: 'groups'}], rows));
}

/** The runs by two measures, with their names in a list where these do not fit beside the points. */
function drawTradeoff() {
  if (!record.tradeoff) return;
  const {x, y, rows} = record.tradeoff;
  const better = [x, y].map((measure) => (record.better[measure] === 'lower' ? 'lower is better' : ''));
  const [drawing, isNumbered] = tradeoff(rows, [x, y], better);
  redraw(part('plane'), drawing, isNumbered ? el('ol', {class: 'small'}, rows.map((row) => el('li', {}, text(row.run)))) : null,
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
    drawn(tab, rows, known), el('p', {class: 'small'}, summary(known)), extremes(known), queryTable(rows));
}

const count = (size) => size.toLocaleString('en');

const summary = (known) => {
  if (!known.length) return '';
  const [gains, losses] = [known.filter((row) => row.gain > 0).length, known.filter((row) => row.gain < 0).length];
  return `${state.b} is better on ${count(gains)}, worse on ${count(losses)} and equal on ${count(known.length - gains - losses)} of ${count(known.length)} queries.`;
};

/** The queries that lose and gain most. */
function extremes(known) {
  const order = known.toSorted((one, other) => one.gain - other.gain);
  const lists = {'Largest losses': order.filter((row) => row.gain < 0), 'Largest gains': order.filter((row) => row.gain > 0).reverse()};
  return el('div', {class: 'cards wide'}, Object.entries(lists).filter(([, some]) => some.length).map(([title, some]) => el('div', {},
    el('h3', {}, `${title} of ${state.b}`), el('ol', {class: 'extremes'}, some.slice(0, LISTED).map((row) => el('li', {}, queryButton(row), ' ', el('span', {class: direction(row.gain)}, signed(row.difference))))))));
}

const queryButton = (row, attributes = {}) => el('span', {}, button(row.text ? text(shortened(row.text)) : id(shortened(row.id)), () => openQuery(row.id), {class: 'link', ...attributes}), row.text ? id(` ${shortened(row.id)}`, {class: 'small'}) : null);

function drawn(tab, rows, known) {
  const title = `${state.m}: ${state.a ? `${state.b} and ${state.a}` : state.b}`;
  if (!rows.length) return el('p', {class: 'hint'}, 'No query has this id or text.');
  if (tab === 'differences') return differences(known.toSorted((one, other) => other.gain - one.gain), `${state.m}, ${state.b} less ${state.a}, query by query`, summary(known));
  if (tab === 'scatter') return el('div', {class: 'square'}, scatter(known, [state.a, state.b], title));
  if (tab === 'heat') {
    const spread = (row) => Math.max(...row.values.map((value) => value ?? 0)) - Math.min(...row.values.map((value) => value ?? 0));
    const sentence = `${signOf(state.m) < 0 ? 'Lighter' : 'Darker'} is better; queries on which runs differ most stand left.`;
    return el('div', {}, heat(rows.toSorted((one, other) => spread(other) - spread(one)), record.runs, `${state.m} of all runs`, sentence), el('p', {class: 'hint'}, sentence));
  }
  const series = new Map((state.a ? [state.a, state.b] : [state.b]).map((run) => [run, rows.map((row) => record.values[run][state.m][row.row])]));
  return el('div', {}, histogram(series, `${state.m}: how many queries have which value`), el('p', {class: 'legend'}, legend([...series.keys()]).map(([mark, name]) => el('span', {}, mark, ` ${name}`))));
}

function queryTable(rows) {
  const pages = Math.max(1, Math.ceil(rows.length / PAGE));
  const at = Math.min(Math.max(Number(state.p) || 0, 0), pages - 1);
  const heading = (key, name) => button(`${name}${state.s === key ? (state.d === 'up' ? ' ▲' : ' ▼') : ''}`, () => set({s: key, d: state.s === key && state.d === 'up' ? 'down' : 'up', p: '0'}), {class: 'link', 'data-key': `s-${key}`});
  const columns = [['id', 'query'], ...(state.a ? [['base', state.a]] : []), ['value', state.b], ...(state.a ? [['difference', 'difference']] : []), ...(record.judged[state.b]?.length ? [['unjudged', 'unjudged in the first 10']] : [])];
  const cells = sorted(rows).slice(at * PAGE, (at + 1) * PAGE).map((row) => columns.map(([key]) => {
    if (key === 'id') return el('span', {}, queryButton(row, {'aria-pressed': String(row.id === state.q), 'data-key': `q-${row.id}`}), row.id in record.lists ? null : el('span', {class: 'small'}, ' (values only)'));
    if (key === 'difference') return el('span', {class: direction(row.gain)}, signed(row.difference));
    return key === 'unjudged' ? (row.unjudged ? `${Math.round(row.unjudged * 100)} %` : '') : number(row[key]);
  }));
  const sorting = (key) => (state.s === key ? (state.d === 'up' ? 'ascending' : 'descending') : null);
  return el('div', {class: 'by-query'}, table(`${count(rows.length)} of ${count(record.queries.length)} queries`, columns.map(([key, name]) => ({name: heading(key, name), number: key !== 'id', sorted: sorting(key)})), cells),
    el('div', {class: 'bar'}, button('‹', () => set({p: String(at - 1)}), {disabled: at === 0, 'aria-label': 'Page before', 'data-key': 'before'}), `page ${at + 1} of ${pages}`, button('›', () => set({p: String(at + 1)}), {disabled: at === pages - 1, 'aria-label': 'Next page', 'data-key': 'next'})));
}

function openQuery(query, change = {}) {
  set({q: query, ...change});
  part('query').scrollIntoView({block: 'start'});
  part('query').querySelector('h2')?.focus();
}

function drawQuery() {
  const row = rowOf.get(state.q);
  if (row === undefined) return redraw(part('query'), el('h2', {}, 'One query'), el('p', {class: 'hint'}, 'Choose a query above, or press j.'));
  const held = record.lists[state.q] ?? {};
  const runs = (state.a ? [state.a, state.b] : [state.b]);
  const sides = runs.map((run) => [run, held[run]]);
  sizes.disconnect();
  redraw(part('query'), el('h2', {tabindex: -1}, text(shortened(record.texts[row] || state.q, 400)), ' ', id(record.texts[row] ? state.q : '', {class: 'small'})),
    el('div', {class: 'bar'}, button('‹ k', () => step(-1), {'aria-label': 'Query before (k)', 'data-key': 'k'}), button('j ›', () => step(1), {'aria-label': 'Next query (j)', 'data-key': 'j'})),
    el('p', {class: 'small'}, `Of each document: its rank (6–7: equal scores), its grade (?: nobody judged it), what it adds to ${record.lead}${sides.length > 1 ? ', and its rank in the other run' : ''}.`),
    el('div', {class: 'pair'}, side(sides, 0), sides.length > 1 ? [el('div', {class: 'slopes'}), side(sides, 1)] : null));
  part('query').querySelectorAll('.documents').forEach((documents) => sizes.observe(documents));
}

const rowsOf = (side) => (side?.rows ?? []).map(([document, grade, adds, from, to, ranks]) => ({document, grade, adds, from, to, ranks}));

function side(sides, place) {
  const [run, held] = sides[place];
  const [other, against] = sides[1 - place] ?? [];
  const there = against ? record.listed.filter((name) => name in record.lists[state.q]).indexOf(other) : -1;
  const heading = el('div', {class: 'sum'}, el('h3', {}, text(run), ` ${record.lead} ${number(held?.value ?? record.values[run][record.lead][rowOf.get(state.q)])}`), el('p', {class: 'small'}, held?.arithmetic ?? ''));
  if (!held) return el('div', {class: 'side'}, heading, el('p', {class: 'hint'}, state.q in record.lists ? `Rankings of ${run} are not on the page.` : 'The ranking is not on the page.'));
  return el('div', {class: 'side'}, heading,
    el('ol', {class: 'documents', 'aria-label': `Ranking of ${run}`}, rowsOf(held).map((row, rank) => listed(row, rank, other, there < 0 ? undefined : row.ranks[there]))),
    held.missing.length ? [el('h4', {}, 'Relevant documents that do not count'), el('ul', {class: 'missing'}, held.missing.map(([document, grade, rank, change]) => el('li', {},
      record.documents[document] ? text(record.documents[document], {class: 'clip'}) : null, ' ', id(document), ` (grade ${grade}): ${rank === null ? 'not retrieved' : `rank ${rank}`}${change ? `; at its best rank ${record.lead} ${signed(change)}` : ''}`)))] : null);
}

/** A document; its rank in the other run is null where that lacks it, undefined where that has no ranking here. */
function listed(row, rank, other, there) {
  const said = record.documents[row.document];
  const place = row.from === row.to ? String(rank + 1) : `${row.from}–${row.to}`;
  const shift = there ? there - rank - 1 : 0;
  const moved = there === undefined ? '' : there === null ? 'only here' : shift ? `rank ${there} in ${other}` : `also rank ${there}`;
  return el('li', {class: `document${row.from !== row.to ? ' tied' : ''}`, 'data-document': row.document}, el('span', {class: 'rank'}, place),
    el('span', {class: `chip grade-${row.grade === null ? 'none' : Math.min(Math.max(Math.round(row.grade), 0), 4)}`, title: row.grade === null ? 'unjudged' : 'grade'}, gradeText(row.grade)),
    el('span', {class: 'title'}, said ? text(said, {class: 'clip'}) : null, id(row.document, {class: said ? 'small' : ''})),
    el('span', {class: 'number small'}, row.adds ? `+${number(row.adds)}` : ''), el('span', {class: 'small elsewhere'}, moved));
}

/** The next query of the table, or the one before. */
function step(by) {
  const rows = sorted(chosen());
  if (!rows.length) return;
  const at = rows.findIndex((row) => row.id === state.q);
  const next = Math.min(Math.max(at < 0 ? 0 : at + by, 0), rows.length - 1);
  openQuery(rows[next].id, {p: String(Math.floor(next / PAGE))});
  announce(`query ${next + 1} of ${rows.length}`);
}

function drawCurves() {
  const of = (rows, at) => new Map([...Map.groupBy(rows, (row) => row.run)].map(([run, several]) => [run, several.map((row) => ({at: row[at], value: row.value}))]));
  const measure = state.m.replace(/@\d+$/, '');
  const atK = of(record.at_k.filter((row) => row.measure === measure), 'cutoff');
  const recall = of(record.recall, 'recall');
  const shown = (series, title, ends) => el('div', {}, el('h3', {}, title), lines(series, title), ends ? el('p', {class: 'hint'}, ends) : null, el('p', {class: 'legend'}, legend([...series.keys()]).map(([mark, name]) => el('span', {}, mark, ` ${name}`))));
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
  const rows = record.chances.map((one) => [queryButton({id: one.query, text: record.texts[rowOf.get(one.query)]}), one.run, id(shortened(one.document)), String(one.grade), one.rank === null ? 'not retrieved' : String(one.rank), signed(one.change), signed(one.of_mean)]);
  const columns = ['query', 'run', 'document', 'grade', 'rank', `${record.lead} of the query`, 'mean'].map((name, place) => ({name, number: place > 2}));
  const where = record.tried < record.queries.length ? `in ${record.tried} queries that differ most or are worst` : 'in all queries';
  redraw(part('chances'), rows.length ? [el('h2', {}, 'What to do next'), table(`Relevant documents that would raise the mean most if they stood at their best ranks, ${where}`, columns, rows)] : null);
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
  const theme = button('Theme: auto', () => {
    const next = themes[(themes.indexOf(document.documentElement.dataset.theme ?? 'auto') + 1) % 3];
    document.documentElement.dataset.theme = next;
    theme.textContent = `Theme: ${next}`;
  });
  part('tools').append(theme, button('Download the data (JSON)', () => download('report.json', JSON.stringify(record))), button('Print', () => print()), el('span', {class: 'small'}, KEYS_TEXT));
  document.querySelector('.skip').addEventListener('click', (event) => { event.preventDefault(); part('main').focus(); });
  document.addEventListener('click', (event) => { const query = event.target.closest?.('[data-query]')?.dataset.query; if (query) openQuery(query); });
  document.addEventListener('keydown', (event) => {
    if (event.target.matches('input, select') || event.ctrlKey || event.metaKey || event.altKey) return;
    const actions = {'?': () => announce(KEYS_TEXT), j: () => step(1), k: () => step(-1), '/': () => document.querySelector('[data-key=f]').focus(), m: () => set({m: record.measures[(record.measures.indexOf(state.m) + 1) % record.measures.length]})};
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  });
  window.addEventListener('hashchange', () => { read(); draw(); });
  part('queries').append(el('h2', {}, 'Queries'), tools, list);
  read();
  drawScores();
  drawTradeoff();
  draw();
  onWidth(() => { drawScores(); drawTradeoff(); draw(); });
  drawChances();
  drawProfiles();
}

begin();
