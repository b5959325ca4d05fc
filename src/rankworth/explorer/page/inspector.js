// The inspector: queries of runs, those that lose most first, and the rankings of a query side by side.

import {Later, post} from './api.js';
import {amountBar, differenceBar, drawSlopes} from './charts.js';
import {announce, button, direction, download, el, field, gradeText, id, goldLegend, number, opening, panel, plus, redraw, select, shortened, signed, table, text} from './dom.js';
import {gradeSelect, moveText, predicate, shade} from './ranking.js';

const ROW = 62; // the height of a query in the list, as in explorer.css
const WINDOW = 200;
const SORTS = {worst: 'worst first', best: 'best first', loss: 'largest loss first', gain: 'largest gain first', id: 'by id'};

export class Inspector {
  constructor(session, open) {
    this.session = session;
    this.open = open;
    const [run, base] = session.runs;
    this.view = {run: base ?? run, base: base ? run : '', measure: session.measures[0], sort: base ? 'loss' : 'worst', filter: '', group: ''};
    this.query = this.total = null;
    this.rows = new Map();
    this.depth = 20;
    this.opened = new Set();
    this.heading = el('div', {class: 'heading'});
    this.moves = el('section', {class: 'advice', 'aria-label': 'What would raise the value most'});
    this.rankings = el('div', {});
    this.pause = new Later();
    this.sizes = new ResizeObserver(() => drawSlopes(this.detail));
  }

  async show(container, tools) {
    this.list = el('div', {class: 'queries', tabindex: 0, role: 'listbox', 'aria-label': 'Queries', on: {scroll: () => this.load(), keydown: (event) => this.onKey(event)}});
    [this.opener, this.more] = panel('More…', {'data-key': 'more'});
    this.choices = el('div', {class: 'choices'});
    tools.replaceChildren(this.choices, this.opener, this.more);
    this.find = el('div', {class: 'find'});
    this.means = el('p', {class: 'small means'});
    this.detail = el('section', {'aria-label': 'Query', class: 'detail'}, el('p', {class: 'hint'}, 'Choose a query.'));
    this.health = el('details', {class: 'health small'});
    container.replaceChildren(el('div', {class: 'inspector'},
      el('section', {'aria-label': 'Queries', class: 'side-list'}, this.find, this.means, this.list, this.health), this.detail));
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
    if ('run' in change || 'base' in change || 'measure' in change) await (this.next?.isConnected ? this.drawNext() : this.drawQuery());
  }

  drawTools() {
    const {session, view} = this;
    const set = (name) => (value) => this.set({[name]: value});
    const chooser = (label, name, choices) => select(choices, view[name], set(name), {'aria-label': label, 'data-key': name, dir: 'auto'});
    const sorts = session.sorts.filter((sort) => view.base || !['loss', 'gain'].includes(sort)).map((sort) => [sort, SORTS[sort]]);
    redraw(this.choices,
      chooser('Run', 'run', session.runs),
      session.runs.length > 1 ? [el('span', {class: 'small'}, 'vs'), chooser('Compared with', 'base', [['', 'nothing'], ...session.runs.filter((run) => run !== view.run)])] : null,
      chooser('Measure', 'measure', session.measures));
    redraw(this.find,
      el('input', {type: 'search', value: view.filter, placeholder: 'id or text', 'aria-label': 'Filter', dir: 'auto', 'data-key': 'filter',
        on: {input: (event) => { this.view = {...this.view, filter: event.target.value}; this.reload(); }}}),
      chooser('Order', 'sort', sorts));
    this.drawMeans();
    redraw(this.more,
      session.groups.length ? field('Group', select([['', 'all queries'], ...session.groups], view.group, set('group'), {'data-key': 'group'})) : null,
      table(`Means of ${view.measure}`, [{name: 'run'}, {name: 'mean', number: true}], session.runs.map((run) => [text(run), this.mean(run)])),
      session.judges ? el('div', {class: 'part'}, button('Export new grades', () => this.export(), {'data-key': 'export'}),
        session.saves ? el('p', {class: 'hint'}, `grades are saved in ${session.saves}`) : null) : null,
      el('p', {class: 'hint'}, `In the list, arrows, j and k choose a query. In a ranking, arrows walk${session.judges ? ', 0 to 9 set the grade of a document, ? takes it back' : ''}.`));
  }

  get count() {
    return `${this.total} ${this.total === 1 ? 'query' : 'queries'}`;
  }

  mean(run) {
    return number(this.session.means[run][this.session.measures.indexOf(this.view.measure)]);
  }

  /** How many queries are listed, and the means over all by the measure. */
  drawMeans() {
    const means = this.runs.flatMap((run, index) => [index ? ', ' : '', text(run), ` ${this.mean(run)}`]);
    redraw(this.means, el('span', {}, this.total === null ? null : `${this.count}, `, 'mean ', ...means),
      this.session.judges ? button('Judge next', () => this.drawNext(), {class: 'quiet', 'data-key': 'judge-next', title: 'Unjudged documents, most useful first'}) : null);
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
      this.largest = answer.largest;
      answer.rows.forEach((row, index) => this.rows.set(offset + index, row));
      announce(answer.total ? this.count : 'No query fits', false);
      this.drawMeans();
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
    this.list.replaceChildren(this.total ? space : this.nothing());
    this.list.setAttribute('aria-activedescendant', this.rows.get(this.at)?.id === this.query ? `query-${this.at}` : '');
  }

  /** The list without a query, and how it gets some. */
  nothing() {
    const clear = () => { this.set({filter: '', group: ''}); this.find.querySelector('input').focus(); };
    return el('div', {class: 'nothing', role: 'presentation'}, el('p', {}, 'No query fits.'), button('Show all queries', clear, {'data-key': 'all'}));
  }

  row(index, row) {
    const compared = row.difference !== null;
    const share = row.judged === null || row.judged >= 1 ? '' : `${Math.round((1 - row.judged) * 100)} % unjudged`;
    const element = el('div', {id: `query-${index}`, class: 'query', role: 'option', 'aria-selected': String(row.id === this.query), on: {click: () => this.choose(index)}},
      row.text ? text(row.text, {class: 'clip', title: row.id}) : id(row.id, {class: 'clip'}),
      el('span', {class: 'small values'}, compared ? `${number(row.base)} → ${number(row.value)}` : share),
      compared ? differenceBar(row.difference, this.largest) : amountBar(row.value, this.largest, 108, true),
      compared ? el('span', {class: `number ${direction(row.difference)}`}, row.difference ? plus(row.difference) : '= 0') : el('span', {class: 'number'}, number(row.value)));
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
    this.moves.inert = true; // they are of another query until they are drawn
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
    const largest = Math.max(...answer.rankings.flatMap((ranking) => ranking.rows.map((row) => row.adds ?? 0)));
    redraw(this.heading,
      el('h2', {}, text(shortened(answer.text || answer.id))), this.facts(answer),
      answer.text === shortened(answer.text) ? null : el('details', {class: 'whole', ...this.kept('')}, el('summary', {}, el('span', {class: 'small'}, 'The whole query')), el('div', {dir: 'auto'}, answer.text)),
      this.session.marks ? goldLegend() : null);
    redraw(this.rankings,
      el('div', {class: 'pair'}, this.side(answer, first, 0, largest), second ? el('div', {class: 'slopes'}) : null, second ? this.side(answer, second, 1, largest) : null),
      height >= this.depth && this.depth < 1000 ? button(`Show ${Math.min(1000, this.depth * 5)} ranks`, () => { this.depth = Math.min(1000, this.depth * 5); this.drawQuery(); }, {'data-key': 'deeper'}) : null);
    if (!this.rankings.isConnected) this.detail.replaceChildren(this.heading, ...(this.session.moves ? [this.moves] : []), this.rankings); // a press is not lost where an answer redraws the rankings
    if (this.session.moves && !this.moves.hasChildNodes()) this.drawAdvice();
    if (this.session.moves) this.pause.schedule(() => this.drawMoves());
    this.sizes.disconnect();
    this.detail.querySelectorAll('.documents').forEach((list) => this.sizes.observe(list));
  }

  /** The id of the query, its values, and how many relevant documents do not count, below the query. */
  facts(answer) {
    const [base, compared] = answer.rankings;
    const run = compared ?? base;
    const change = compared && run.value !== null && base.value !== null ? run.value - base.value : null;
    const counts = [[run.low, 'stand too low', 'stands too low'], [run.absent, 'were not retrieved', 'was not retrieved']].filter(([count]) => count);
    const words = counts.map(([count, several, single], index) => `${count}${index ? '' : ` relevant ${count === 1 ? 'document' : 'documents'}`} ${count === 1 ? single : several}`);
    return el('p', {class: 'facts-line'},
      answer.text ? [id(answer.id), ' · '] : null, text(run.run), ` ${number(run.value)}`,
      compared ? [', ', text(base.run), ` ${number(base.value)}`] : null,
      change === null ? null : [' ', el('b', {class: `change ${direction(change)}`}, signed(change))],
      words.length ? ` · ${words.join(', ')}` : null,
      answer.judged === null || answer.judged >= 1 ? null : ` · ${Math.round((1 - answer.judged) * 100)} % of the first 10 unjudged`);
  }

  /** The moves that would raise the value of the run most. */
  async drawMoves() {
    const {query, view} = this;
    const answer = await post('moves', {query, run: view.run, measure: view.measure});
    if (!answer || this.query !== query) return;
    this.moves.inert = false;
    this.drawAdvice(answer);
  }

  /** The moves with what they give; their room is there before them. */
  drawAdvice(answer) {
    const moves = answer?.moves ?? [];
    redraw(this.moves,
      el('h3', {}, 'What would raise ', text(this.view.run), ' most'),
      el('ol', {class: 'proposals'}, moves.map((move) => el('li', {}, moveText(move, move.text),
        el('span', {class: 'small values'}, `${number(answer.value)} → ${number(move.value)}`), el('b', {class: 'number better'}, plus(move.change)))),
        answer && !moves.length ? el('li', {class: 'hint'}, answer.retrieved ? `Nothing to gain: moving a document does not raise ${answer.measure}. Try a lower grade or a larger k.`
          : 'Nothing was retrieved for this query. In the playground, add one of its documents and see what it gives.') : null),
      button('Try in the playground', () => this.openInPlayground(), {class: 'primary', 'data-key': 'to-playground'}));
  }

  /** What keeps a text open while its query is looked at. */
  kept(key) {
    return {open: this.opened.has(key), on: {toggle: (event) => (event.target.open ? this.opened.add(key) : this.opened.delete(key))}};
  }

  /** A document by its title, which opens its id and text; by its id where there is no text. */
  named(key, {document, text: content, marks}) {
    return content ? opening(content, document, marks, this.kept(key), el('p', {class: 'small'}, id(document))) : id(document, {class: 'clip'});
  }

  side(answer, ranking, index, largest) {
    const other = answer.rankings[1 - index];
    return el('div', {class: 'side'},
      el('h3', {class: 'sum'}, text(ranking.run), ' ', el('span', {class: 'small', title: answer.measure}, number(ranking.value))),
      ranking.rows.length ? el('ol', {class: 'documents', 'aria-label': `Ranking of ${ranking.run}`}, ranking.rows.map((row, place) => this.document(row, index, other, largest, place === answer.cutoff))) : null,
      el('p', {class: 'small'}, ranking.arithmetic),
      ranking.formula ? el('p', {class: 'small'}, ranking.formula) : null,
      ranking.missing.length ? [el('h4', {}, 'Relevant, but it does not count'),
        el('ul', {class: 'missing'}, ranking.missing.map((each) => el('li', {},
          el('span', {class: `grade ${shade(each.grade)}`}, gradeText(each.grade)),
          el('div', {}, each.text ? this.named(`missing-${index}-${each.document}`, each) : null,
            el('span', {class: 'small'}, each.text ? predicate(each) : each.sentence)))))] : null);
  }

  document(row, index, other, largest, isCut) {
    const key = `document-${index}-${row.document}`;
    const set = (grade) => this.judge(row.document, grade);
    const moved = !other ? '' : row.elsewhere === null ? 'only here' : `${other.run}: ${row.elsewhere}`;
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
    el('span', {class: 'rank'}, row.first === row.last ? String(row.rank) : `${row.first}–${row.last}`),
    this.session.judges ? gradeSelect(row.document, row.grade, row.grade === null ? '?' : row.is_new ? 'take back' : null, set, {class: `grade ${shade(row.grade)}`, 'data-key': `grade-${index}-${row.document}`})
      : el('span', {class: `grade ${shade(row.grade)}`}, gradeText(row.grade)),
    this.named(key, row),
    el('span', {class: `small where${row.elsewhere === null ? (row.grade > 0 ? ' worse' : '') : row.elsewhere <= this.depth ? ' near' : ''}`}, moved), // a line says where it is near
    el('span', {class: 'adds'}, amountBar(row.adds ?? 0, largest, 72), el('span', {class: 'number small'}, row.adds ? `+${number(row.adds)}` : '')));
  }

  /** The unjudged documents that can change the value or the difference most, in place of the query. */
  async drawNext() {
    const answer = await post('to_judge', {run: this.view.run, base: this.view.base, measure: this.view.measure}).catch((error) => announce(error.message));
    if (!answer) return;
    const largest = Math.max(...answer.documents.map((row) => Math.abs(row.effect)), 0);
    this.decided = el('p', {class: 'facts-line', role: 'status'});
    this.next = el('section', {class: 'next', 'aria-label': 'Judge next'},
      el('h2', {}, 'Judge next'),
      this.decided,
      el('p', {class: 'hint'}, answer.documents.length ? `Most useful first. Keys ${this.session.scale.filter((grade) => grade >= 0 && Number.isInteger(grade)).join(' ')} grade a document and go to the next one, arrows walk, ? takes a grade back.`
        : `No unjudged document can change ${answer.measure}.`),
      el('ol', {class: 'documents', 'aria-label': 'Documents to judge'}, answer.documents.map((row) => this.task(row, answer, largest))),
      answer.left ? el('p', {class: 'hint'}, `${answer.left} more can change it.`) : null,
      button('List again', () => this.drawNext(), {'data-key': 'list-again', title: 'With the new grades, most useful first'}));
    this.tell(answer);
    this.detail.replaceChildren(this.next);
    this.next.querySelector('.task')?.focus();
  }

  /** What the judgements decide as they are, and what those that are missing could make of it. */
  tell(answer) {
    const can = answer.can.replace(/^the /, 'The ');
    this.decided.replaceChildren(answer.verdict ? el('b', {}, `${answer.verdict}. `) : '', `${can}.`);
  }

  /** A document to judge: its query, its text, where it stands, what its grade can change, and a button for each grade. */
  task(row, answer, largest) {
    const key = `task-${row.query}-${row.document}`;
    const line = el('li', {class: 'task', tabindex: 0, 'data-key': key, 'data-document': row.document, 'data-query': row.query,
      'aria-label': `${row.query_text || row.query}: ${row.document}, not judged`});
    const buttons = this.session.scale.map((grade) => button(gradeText(grade), () => set(grade), {class: `grade ${shade(grade)}`, 'aria-label': `Grade ${grade} for ${row.document}`}));
    const set = async (grade) => {
      const {query, document} = row;
      const sent = await post('judge', {query, document, grade}, `judge ${query} ${document}`).catch((error) => announce(error.message));
      if (!sent) return;
      line.classList.toggle('done', grade !== null);
      buttons.forEach((each, index) => each.setAttribute('aria-pressed', String(this.session.scale[index] === grade)));
      announce(`${document}: ${grade === null ? 'grade taken back' : `grade ${grade}`}; ${sent.judged} new grades${sent.saved ? `, saved in ${sent.saved}` : ''}`);
      if (grade !== null) line.nextElementSibling?.focus();
      this.pause.schedule(async () => {
        const later = await post('to_judge', {run: this.view.run, base: this.view.base, measure: this.view.measure}, 'decided').catch(() => null);
        if (later && this.next.isConnected) this.tell(later);
        await this.follow(query, sent.values);
      });
    };
    line.addEventListener('keydown', (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      if (/^[0-9]$/.test(event.key)) set(Number(event.key));
      else if (event.key === '?') set(null);
      else if (event.key === 'ArrowDown') line.nextElementSibling?.focus();
      else if (event.key === 'ArrowUp') line.previousElementSibling?.focus();
      else return;
      event.preventDefault();
    });
    const ranks = answer.runs.flatMap((run, index) => [index ? ', ' : '', text(run), ` ${row.ranks[index] === null ? 'without it' : `rank ${row.ranks[index]}`}`]);
    line.append(
      el('div', {}, el('div', {class: 'small'}, row.query_text ? text(shortened(row.query_text), {title: row.query}) : id(row.query)), this.named(key, row), el('div', {class: 'small'}, ranks)),
      el('span', {class: 'adds', title: `what the best grade changes in ${answer.measure} of the query`}, amountBar(Math.abs(row.effect), largest, 72), el('span', {class: 'number small'}, plus(row.effect))),
      el('span', {class: 'grades', role: 'group', 'aria-label': `Grade of ${row.document}`}, buttons));
    return line;
  }

  async openInPlayground() {
    const state = await post('playground', {query: this.query, runs: this.runs.toReversed()}).catch((error) => announce(error.message));
    if (state) await this.open({...state, lead: this.session.measures.indexOf(this.view.measure)});
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
    if (!answer) { // the cell has the grade that counts
      await this.drawQuery();
      return;
    }
    announce(`${document}: ${grade === null ? 'grade taken back' : `grade ${grade}`}; ${answer.judged} new grades${answer.saved ? `, saved in ${answer.saved}` : ''}`);
    await this.drawQuery();
    await this.follow(query, answer.values);
  }

  /** The row of a query in the list and the means follow a new grade. */
  async follow(query, values) {
    const row = [...this.rows.values()].find((each) => each.id === query);
    if (row) {
      const value = (run) => values[run][this.session.measures.indexOf(this.view.measure)];
      row.value = value(this.view.run);
      if (this.view.base) row.base = value(this.view.base);
      if (this.view.base) row.difference = row.value === null || value(this.view.base) === null ? null : row.value - value(this.view.base);
    }
    this.drawList();
    const means = await post('means').catch(() => null);
    if (!means) return;
    this.session.means = means;
    this.drawTools();
  }
}
