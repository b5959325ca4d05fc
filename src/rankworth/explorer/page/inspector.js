// The inspector: queries of runs, worst first, and the rankings of a query side by side.

import {Later, post} from './api.js';
import {drawSlopes} from './charts.js';
import {announce, button, direction, download, el, field, gradeText, id, number, opening, redraw, select, shortened, signed, text} from './dom.js';
import {gradeSelect, moveText} from './ranking.js';
import {bare} from './state.js';

const ROW = 40;
const WINDOW = 200;
const MOVES = 3; // how many moves are recommended
const SORTS = {worst: 'worst first', best: 'best first', loss: 'largest loss first', gain: 'largest gain first', id: 'by id'};

export class Inspector {
  constructor(session, open) {
    this.session = session;
    this.open = open;
    const [run, base] = session.runs;
    this.view = {run: base ?? run, base: base ? run : '', measure: session.measures[0], sort: base ? 'loss' : 'worst', filter: '', group: ''};
    this.query = null;
    this.rows = new Map();
    this.depth = 20;
    this.opened = new Set();
    this.heading = el('div', {class: 'heading'});
    this.moves = el('div', {class: 'raise'});
    this.rankings = el('div', {});
    this.pause = new Later();
    this.sizes = new ResizeObserver(() => drawSlopes(this.detail));
  }

  async show(container) {
    this.list = el('div', {class: 'queries', tabindex: 0, role: 'listbox', 'aria-label': 'Queries', on: {scroll: () => this.load(), keydown: (event) => this.onKey(event)}});
    this.tools = el('div', {});
    this.detail = el('section', {'aria-label': 'Query', class: 'detail'}, el('p', {class: 'hint'}, 'Choose a query.'));
    this.health = el('details', {class: 'health small'});
    container.replaceChildren(this.tools, this.health, el('div', {class: 'columns inspector'}, el('section', {'aria-label': 'Queries'}, this.list), this.detail));
    this.drawTools();
    await this.reload();
    await this.drawQuery();
    await this.drawHealth();
  }

  /** What is wrong or risky in the data, closed at first. */
  async drawHealth() {
    const found = await post('findings').catch(() => null);
    if (found) this.health.replaceChildren(el('summary', {}, `Data health: ${found.verdict}`), ...found.findings.map((each) => el('p', {dir: 'auto'}, each)));
  }

  /** Another choice: the list and the query follow. */
  async set(change) {
    this.view = {...this.view, ...change};
    if (this.view.base === this.view.run) this.view.base = '';
    if (!this.view.base && ['loss', 'gain'].includes(this.view.sort)) this.view.sort = 'worst';
    this.drawTools();
    await this.reload();
    if ('run' in change || 'base' in change || 'measure' in change) await this.drawQuery();
  }

  drawTools() {
    const {session, view} = this;
    const set = (name) => (value) => this.set({[name]: value});
    const filter = el('input', {type: 'search', value: view.filter, placeholder: 'id or text', dir: 'auto', 'data-key': 'filter',
      on: {input: (event) => { this.view = {...this.view, filter: event.target.value}; this.reload(); }}});
    const means = session.runs.map((run) => el('span', {}, text(run), ` ${number(session.means[run][session.measures.indexOf(view.measure)])}`));
    const sorts = session.sorts.filter((sort) => view.base || !['loss', 'gain'].includes(sort)).map((sort) => [sort, SORTS[sort]]);
    redraw(this.tools, el('div', {class: 'bar'},
      field('Run', select(session.runs, view.run, set('run'), {'data-key': 'run'})),
      session.runs.length > 1 ? field('Compared with', select([['', 'nothing'], ...session.runs.filter((run) => run !== view.run)], view.base, set('base'), {'data-key': 'base'})) : null,
      field('Measure', select(session.measures, view.measure, set('measure'), {'data-key': 'measure'})),
      field('Order', select(sorts, view.sort, set('sort'), {'data-key': 'sort'})),
      session.groups.length ? field('Group', select([['', 'all'], ...session.groups], view.group, set('group'), {'data-key': 'group'})) : null,
      field('Filter', filter)),
    el('p', {class: 'small means'}, `means of ${view.measure}: `, means.flatMap((mean) => [mean, '  '])));
  }

  async reload() {
    this.rows.clear();
    this.total = this.at = null;
    this.list.scrollTop = 0;
    await this.load();
    if (this.query === null && this.rows.size) await this.choose(0);
  }

  /** Get the rows that are in sight, and draw these alone. */
  async load() {
    const first = Math.floor(this.list.scrollTop / ROW);
    const offset = Math.floor(first / (WINDOW / 2)) * (WINDOW / 2);
    if (!this.rows.has(offset) || (this.total > offset + WINDOW && !this.rows.has(Math.min(offset + WINDOW - 1, this.total - 1)))) {
      const answer = await post('rows', {...this.view, offset}).catch((error) => announce(error.message));
      if (!answer) return;
      this.total = answer.total;
      answer.rows.forEach((row, index) => this.rows.set(offset + index, row));
      announce(answer.total ? `${answer.total} ${answer.total === 1 ? 'query' : 'queries'}` : 'No query fits');
    }
    this.drawList();
  }

  drawList() {
    const first = Math.max(0, Math.floor(this.list.scrollTop / ROW) - 5);
    const last = Math.min(this.total, first + Math.ceil((this.list.clientHeight || 600) / ROW) + 10);
    const rows = [];
    for (let index = first; index < last; index += 1) if (this.rows.has(index)) rows.push(this.row(index, this.rows.get(index)));
    const space = el('div', {class: 'space', role: 'presentation'}, rows);
    space.style.height = `${this.total * ROW}px`;
    this.list.replaceChildren(this.total ? space : el('p', {class: 'hint', role: 'presentation'}, 'No query fits.'));
    this.list.setAttribute('aria-activedescendant', this.rows.get(this.at)?.id === this.query ? `query-${this.at}` : '');
  }

  row(index, row) {
    const element = el('div', {id: `query-${index}`, class: 'query', role: 'option', 'aria-selected': String(row.id === this.query), on: {click: () => this.choose(index)}},
      el('span', {class: 'number'}, number(row.value)),
      row.difference === null ? null : el('span', {class: `change ${direction(row.difference)}`}, signed(row.difference)),
      el('span', {class: 'text'}, row.text ? text(row.text, {class: 'clip'}) : null, id(row.id, {class: 'small'})),
      el('span', {class: 'small'}, row.judged === null || row.judged >= 1 ? '' : `${Math.round((1 - row.judged) * 100)} % unjudged`));
    element.style.top = `${index * ROW}px`;
    return element;
  }

  onKey(event) {
    const step = {j: 1, ArrowDown: 1, k: -1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity}[event.key];
    if (!step || !this.total) return;
    event.preventDefault();
    this.choose(Math.max(0, Math.min(this.total - 1, (this.at ?? -1) + step)));
  }

  async choose(index) {
    this.at = index;
    const top = index * ROW;
    if (top < this.list.scrollTop || top > this.list.scrollTop + this.list.clientHeight - ROW) this.list.scrollTop = Math.max(0, top - ROW * 2);
    await this.load();
    this.query = this.rows.get(index)?.id ?? null;
    this.opened.clear();
    this.moves.replaceChildren();
    this.drawList();
    await this.drawQuery();
  }

  get runs() {
    return [this.view.base, this.view.run].filter(Boolean);
  }

  async drawQuery() {
    if (this.query === null) return;
    const answer = await post('query', {query: this.query, runs: this.runs, measure: this.view.measure, depth: this.depth}).catch((error) => announce(error.message));
    if (!answer) return;
    const [first, second] = answer.rankings;
    const height = Math.max(...answer.rankings.map((ranking) => ranking.rows.length));
    redraw(this.heading,
      el('h2', {}, text(shortened(answer.text || answer.id)), ' ', answer.text ? id(answer.id, {class: 'small'}) : null),
      answer.text === shortened(answer.text) ? null : this.opening('', answer.text, 'The whole query'));
    redraw(this.rankings,
      el('div', {class: 'pair'}, this.side(answer, first, 0), second ? el('div', {class: 'slopes'}) : null, second ? this.side(answer, second, 1) : null),
      height >= this.depth && this.depth < 1000 ? button(`Show ${Math.min(1000, this.depth * 5)} ranks`, () => { this.depth = Math.min(1000, this.depth * 5); this.drawQuery(); }, {'data-key': 'deeper'}) : null);
    if (!this.rankings.isConnected) this.frame();
    this.pause.schedule(() => this.drawMoves());
    this.sizes.disconnect();
    this.detail.querySelectorAll('.documents').forEach((list) => this.sizes.observe(list));
  }

  /** What stays while queries are looked at: a press is not lost where an answer redraws the rankings. */
  frame() {
    this.detail.replaceChildren(this.heading,
      el('div', {class: 'bar'},
        button('Open in the playground', () => this.openInPlayground(), {'data-key': 'to-playground'}),
        el('span', {class: 'small'}, this.session.saves ? `grades are saved in ${this.session.saves}` : ''),
        button('Export new grades', () => this.export(), {'data-key': 'export'})),
      el('p', {class: 'hint'}, `The number behind a document, such as +1.2619, is what its rank adds to the sum of its ranking; ? is a document that nobody judged.${this.session.judges ? ' Keys on a document: 0 to 9 sets the grade, ? takes it back, arrows walk.' : ''}`),
      this.moves, this.rankings);
  }

  /** The moves that would raise the value of the run most. */
  async drawMoves() {
    const {query, view} = this;
    const state = await post('playground', {query, runs: [view.run]}, 'moves'); // a channel apart from that of the button
    const single = state && await post('changes', {...bare(state), lead: this.session.measures.indexOf(view.measure)}, 'moves');
    if (!single || this.query !== query) return;
    redraw(this.moves, single.moves.length ? el('h3', {}, `What would raise ${single.measure} of `, text(view.run), ' most') : null,
      el('ul', {class: 'missing'}, single.moves.slice(0, MOVES).map((move) => el('li', {},
        moveText(move, ` (grade ${state.documents.find((each) => each.id === move.document).grade})`)))));
  }

  /** A text that stays open while its query is looked at. */
  opening(key, value, line = shortened(value)) {
    const toggle = (event) => (event.target.open ? this.opened.add(key) : this.opened.delete(key));
    return opening(line, value, {open: this.opened.has(key), on: {toggle}});
  }

  side(answer, ranking, index) {
    const other = answer.rankings[1 - index];
    const change = other && ranking.value !== null && other.value !== null && index === 1 ? ranking.value - other.value : null;
    return el('div', {class: 'side'},
      el('div', {class: 'sum'}, el('h3', {}, text(ranking.run), ` ${answer.measure} ${number(ranking.value)} `, change === null ? null : el('span', {class: `change ${direction(change)}`}, signed(change))),
        el('p', {class: 'small'}, ranking.arithmetic),
        ranking.formula ? el('p', {class: 'small'}, ranking.formula) : null,
        ranking.missing.length ? el('p', {class: 'small'}, `Relevant documents that do not count are listed below the ranking: ${ranking.missing.length}`) : null),
      el('ol', {class: 'documents', 'aria-label': `Ranking of ${ranking.run}`}, ranking.rows.map((row, place) => this.document(row, index, Boolean(other), place === answer.cutoff))),
      ranking.missing.length ? [el('h4', {}, 'Relevant, but it does not count'),
        el('ul', {class: 'missing'}, ranking.missing.map((each) => el('li', {}, each.text ? this.opening(`missing-${index}-${each.document}`, each.text) : null, each.sentence)))] : null);
  }

  document(row, index, paired, isCut) {
    const key = `document-${index}-${row.document}`;
    const set = (grade) => this.judge(row.document, grade);
    const shade = `grade grade-${row.grade === null ? 'none' : Math.min(Math.max(Math.round(row.grade), 0), 4)}`;
    const moved = !paired ? '' : row.elsewhere === null ? 'only here' : `there: ${row.elsewhere}`;
    return el('li', {class: `document${row.first !== row.last ? ' tied' : ''}${isCut ? ' cut' : ''}`, tabindex: 0, 'data-key': key, 'data-document': row.document,
      'aria-label': `rank ${row.rank}: ${row.document}, ${row.grade === null ? 'unjudged' : `grade ${row.grade}`}, adds ${number(row.adds)} ${moved}${isCut ? ', the first below the cutoff' : ''}`,
      on: {keydown: (event) => {
        if (event.target !== event.currentTarget || event.altKey || event.ctrlKey || event.metaKey) return;
        if (/^[0-9]$/.test(event.key)) set(Number(event.key));
        else if (event.key === '?') set(null);
        else if (event.key === 'ArrowDown') event.currentTarget.nextElementSibling?.focus();
        else if (event.key === 'ArrowUp') event.currentTarget.previousElementSibling?.focus();
        else return;
        event.preventDefault();
      }}},
    el('span', {class: 'rank'}, row.first === row.last ? String(row.rank) : `${row.rank} (${row.first}–${row.last})`),
    this.session.judges ? gradeSelect(row.document, row.grade, row.grade === null ? '?' : row.is_new ? 'take back' : null, set, {class: shade, 'data-key': `grade-${index}-${row.document}`})
      : el('span', {class: shade}, gradeText(row.grade)),
    el('span', {class: 'title'}, row.text ? this.opening(key, row.text) : null,
      el('span', {class: 'facts small'}, id(row.document), el('span', {class: 'adds'}, row.adds ? `+${number(row.adds)}` : ''), el('span', {}, moved), el('span', {}, isCut ? 'below the cutoff' : ''))));
  }

  async openInPlayground() {
    const state = await post('playground', {query: this.query, runs: this.runs}).catch((error) => announce(error.message));
    if (state) await this.open({...state, lead: this.session.measures.indexOf(this.view.measure)}, state.rankings.length - 1);
  }

  async export() {
    const answer = await post('grades').catch((error) => announce(error.message));
    if (!answer) return;
    download(answer.name, answer.text);
    announce(`${answer.name} exported`);
  }

  /** Take a grade; the query, its row in the list and the means follow. */
  async judge(document, grade) {
    const {query} = this;
    const answer = await post('judge', {query, document, grade}, `judge ${query} ${document}`).catch((error) => announce(error.message));
    if (!answer) return;
    announce(`${document}: ${grade === null ? 'grade taken back' : `grade ${grade}`}; ${answer.judged} new grades${answer.saved ? `, saved in ${answer.saved}` : ''}`);
    await this.drawQuery();
    const row = [...this.rows.values()].find((each) => each.id === query);
    if (row) {
      const value = (run) => answer.values[run][this.session.measures.indexOf(this.view.measure)];
      row.value = value(this.view.run);
      if (this.view.base) row.difference = row.value === null || value(this.view.base) === null ? null : row.value - value(this.view.base);
    }
    this.drawList();
    const means = await post('means').catch(() => null);
    if (!means) return;
    this.session.means = means;
    this.drawTools();
  }
}
