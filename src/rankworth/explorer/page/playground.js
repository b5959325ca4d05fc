// The playground: rankings that are edited, and at once all that the library says of them.

import {get, post} from './api.js';
import {contributions, curves, legend} from './charts.js';
import {announce, button, copy, direction, el, field, focusOn, gradeText, id, number, redraw, section, select, signed, table, text} from './dom.js';
import {profileTable} from './conventions.js';
import {rankingList} from './ranking.js';
import {added, alone, completed, encoded, graded, moved, oneMore, removed, retrieved, sortedIdeally, withRanking, History} from './state.js';

const GAINS = {'': 'of each measure', linear: 'grade', exp2: '2^grade − 1', binary: 'relevant or not'};

export class Playground {
  constructor(start) {
    this.start = start;
    this.history = new History(this.stateOfExample(0));
    this.active = 0;
    this.selected = null;
    this.result = null;
    this.before = null;
    this.parts = null;
  }

  get state() {
    return this.history.now;
  }

  /** Show the playground in a container. */
  async show(container) {
    const part = (name) => el('div', {class: name});
    this.parts = Object.fromEntries(['tools', 'error', 'rankings', 'values', 'charts', 'steps'].map((name) => [name, part(name)]));
    const {tools, error, rankings, values, charts, steps} = this.parts;
    error.setAttribute('role', 'alert');
    this.changes = section('What would each single change do?', (body) => this.drawChanges(body), 'changes');
    this.profiles = section('The ranking under every profile', (body) => profileTable(body, this.alone(), this.start), 'profiles');
    container.replaceChildren(
      tools, error,
      el('div', {class: 'columns'},
        el('section', {'aria-label': 'Rankings'}, rankings),
        el('section', {'aria-label': 'Values'}, values, charts)),
      el('section', {'aria-label': 'Details'}, steps, this.changes, this.profiles));
    await this.refresh();
  }

  stateOfExample(place) {
    return completed({...this.start.examples[place].state, example: place});
  }

  /** Replace the state by one from elsewhere: an example, a link, a query of a run. */
  async open(state) {
    this.history.change(completed(state));
    this.active = 0;
    this.before = null;
    if (this.parts) await this.refresh();
  }

  /** A change by the user: it can be undone, and is said to screen readers. */
  change(state, message) {
    this.history.change(state);
    this.active = Math.min(this.active, state.rankings.length - 1);
    announce(message);
    this.refresh();
  }

  /** A document that was dragged to a rank. */
  drop(place, document, to) {
    const {documents} = this.state.rankings[place];
    const from = documents.indexOf(document);
    if (from === to) return;
    this.focus = `row-${place}-${document}`;
    this.change(moved(this.state, place, from, to), `${document} moved to rank ${to + 1} of ${documents.length}`);
  }

  step(back) {
    if (!(back ? this.history.undo() : this.history.redo())) return;
    this.active = Math.min(this.active, this.state.rankings.length - 1);
    announce(back ? 'Undone' : 'Done again');
    this.refresh();
  }

  /** The state with the ranking that is looked at alone. */
  alone() {
    return alone(this.state, this.active);
  }

  async refresh() {
    encoded(this.state).then((link) => history.replaceState(null, '', `#${link}`));
    this.drawTools();
    try {
      const result = await post('score', this.state);
      if (!result) return;
      this.before = this.result;
      this.result = result;
      this.draw('');
    } catch (error) {
      this.result = null;
      this.draw(error);
      return;
    }
    const rows = await post('curve', this.alone()).catch(() => null);
    if (rows) this.drawCharts(rows.rows);
    this.changes.redraw();
    this.profiles.redraw();
  }

  draw(error) {
    redraw(this.parts.error, error ? [el('p', {}, error.message), error.remedy ? el('p', {class: 'hint'}, error.remedy) : null] : []);
    this.drawRankings();
    this.drawValues();
    this.drawSteps();
    if (error) redraw(this.parts.charts);
    if (this.focus) focusOn(this.focus);
    this.focus = null;
  }

  drawTools() {
    const {state} = this;
    const set = (change, message) => this.change({...this.state, ...change}, message);
    const example = this.start.examples[state.example];
    const groups = Map.groupBy(this.start.examples.map((each, place) => ({...each, place})), (each) => each.group);
    const examples = el('select', {'data-key': 'example', on: {change: (event) => this.open(this.stateOfExample(Number(event.target.value)))}},
      example ? null : el('option', {value: '', selected: true}, 'yours'),
      [...groups].map(([group, several]) => el('optgroup', {label: group},
        several.map((each) => el('option', {value: each.place, selected: each.place === state.example}, each.name)))));
    const measures = el('input', {type: 'text', value: state.measures.join(' '), size: 34, 'data-key': 'measures', spellcheck: 'false',
      on: {change: (event) => set({measures: separated(event.target.value), lead: 0}, 'Measures changed')}});
    const cutoff = el('input', {type: 'number', min: 1, max: 1000, value: state.cutoff ?? '', 'data-key': 'cutoff',
      on: {change: (event) => set({cutoff: event.target.value ? Math.max(1, Math.round(Number(event.target.value))) : null}, `Cutoff ${event.target.value || 'of each measure'}`)}});
    const rel = el('input', {type: 'number', min: 0, step: 'any', value: state.rel ?? '', placeholder: '1', 'data-key': 'rel',
      on: {change: (event) => set({rel: event.target.value ? Number(event.target.value) : null}, `Relevant from ${event.target.value || 'grade 1'}`)}});
    const options = this.start.options.map((option) => field(option.name,
      select([['', 'of the profile'], ...option.words], state.settings[option.name] ?? '',
        (value) => set({settings: {...this.state.settings, [option.name]: value || null}}, `${option.name}: ${value || 'of the profile'}`), {'data-key': option.name, title: option.help})));
    const changed = ['gain', 'rel'].filter((name) => state[name]).concat(Object.keys(state.settings).filter((name) => state.settings[name]));
    redraw(this.parts.tools,
      el('div', {class: 'bar'},
        field('Example', examples),
        button('Undo', () => this.step(true), {disabled: !this.history.past.length, 'data-key': 'undo'}),
        button('Redo', () => this.step(false), {disabled: !this.history.future.length, 'data-key': 'redo'}),
        button('Copy link', async () => copy(location.href, 'Link'), {'data-key': 'link'}),
        button('As Python', () => this.export('python', 'Python'), {'data-key': 'python'}),
        button('As command', () => this.export('command', 'Command'), {'data-key': 'command'}),
        button('As Markdown', () => this.export('markdown', 'Markdown'), {'data-key': 'markdown'})),
      example ? el('p', {class: 'try'}, el('b', {}, 'Try: '), example.try, ' ', el('b', {}, 'See: '), example.see) : null,
      el('div', {class: 'bar'},
        field('Measures', measures),
        field('Add one', select([['', '…'], ...this.start.measures], '', (name) => set({measures: [...this.state.measures, name]}, `${name} added`), {'data-key': 'add-measure'})),
        field('Cutoff k', cutoff),
        field('Gain of nDCG', select(['', ...this.start.gains].map((gain) => [gain, GAINS[gain]]), state.gain, (gain) => set({gain}, `Gain ${GAINS[gain]}`), {'data-key': 'gain'})),
        field('Relevant from', rel),
        options,
        field('Profile', select(this.start.profiles.map((profile) => profile.name), state.profile, (profile) => set({profile}, `Profile ${profile}`), {'data-key': 'profile'})),
        changed.length ? button(`changed from the profile: ${changed.join(', ')} ⟲`, () => set({gain: '', rel: null, settings: {}}, 'As the profile has it'), {'data-key': 'reset'}) : null));
  }

  async export(form, what) {
    const found = await post('export', this.alone()).catch((error) => announce(error.message));
    if (found) await copy(found[form], what);
  }

  drawRankings() {
    const {state} = this;
    const result = this.result?.rankings ?? [];
    const lists = state.rankings.map((ranking, place) => {
      const page = {
        state, explanation: result[place]?.explanation, selected: this.selected,
        current: () => this.state,
        change: (next, message) => this.change(next, message),
        drop: (at, document, to) => this.drop(at, document, to),
        select: (document) => this.select(document, place),
        keepFocus: (key) => { this.focus = key; },
      };
      return el('div', {class: `system${place === this.active ? ' active' : ''}`}, this.heading(ranking, place), rankingList(page, place), this.footer(place));
    });
    redraw(this.parts.rankings, el('h2', {}, 'Rankings'), el('p', {class: 'hint'}, 'Drag, or Alt+↑ ↓ moves; 0 to 9 and ? set the grade; t ties with the rank above; Delete takes out.'), el('div', {class: 'systems'}, lists),
      el('div', {class: 'bar'}, button('+ new ranking', () => this.change(oneMore(this.state), 'Ranking added'), {disabled: state.rankings.length > 7, 'data-key': 'add-ranking'})), this.notRetrieved());
  }

  heading(ranking, place) {
    const {state} = this;
    const name = el('input', {type: 'text', value: ranking.name, 'aria-label': 'Name of the ranking', 'data-key': `name-${place}`, dir: 'auto',
      on: {change: (event) => this.change(withRanking(this.state, place, () => ({name: event.target.value.trim() || ranking.name})), 'Ranking renamed')}});
    return el('div', {class: 'bar'}, name,
      state.rankings.length > 1 ? button(place === this.active ? 'shown' : 'show', () => { this.active = place; this.refresh(); }, {'aria-pressed': String(place === this.active), 'data-key': `active-${place}`}) : null,
      button('Duplicate', () => this.change(oneMore(this.state, place), 'Ranking duplicated'), {disabled: state.rankings.length > 7}),
      button('Sort ideally', () => this.change(sortedIdeally(this.state, place), 'Sorted by grade')),
      button('Remove', () => this.change({...this.state, rankings: this.state.rankings.toSpliced(place, 1)}, 'Ranking removed'), {disabled: state.rankings.length === 1}));
  }

  footer(place) {
    const {state} = this;
    const held = new Set(state.rankings[place].documents);
    const others = state.documents.filter((each) => !held.has(each.id));
    return el('div', {class: 'bar'},
      button('+ new document', () => this.change(added(this.state, place, null), 'Document added, unjudged'), {'data-key': `add-${place}`}),
      others.length ? select([['', 'add a known document …'], ...others.map((each) => [each.id, `${each.id} (${gradeText(each.grade)})`])], '',
        (document) => document && this.change(retrieved(this.state, place, document), `${document} added at the end`), {'aria-label': 'Add a known document', 'data-key': `known-${place}`}) : null);
  }

  /** Documents that no ranking has: without them the ideal ranking is made of what came back. */
  notRetrieved() {
    const {state} = this;
    const ids = new Set(state.rankings.flatMap((ranking) => ranking.documents));
    const missing = state.documents.filter((each) => !ids.has(each.id));
    return el('div', {class: 'missing'},
      el('h3', {}, 'Judged and not retrieved'),
      el('ul', {class: 'chips'}, missing.map((each) => el('li', {},
        each.text ? text(each.text, {class: 'clip'}) : id(each.id), ' ',
        select([['', '?'], 0, 1, 2, 3, 4].map((value) => value), each.grade === null ? '' : each.grade,
          (value) => this.change(graded(this.state, each.id, value === '' ? null : Number(value)), `${each.id}: grade ${value || '?'}`), {'aria-label': `Grade of ${each.id}`, 'data-key': `missing-${each.id}`}),
        button('×', () => this.change(removed(this.state, each.id), `${each.id} removed`), {'aria-label': `Remove ${each.id}`})))),
      el('div', {class: 'bar'}, [1, 2, 3].map((grade) => button(`+ grade ${grade}`, () => this.change(added(this.state, null, grade), `Document of grade ${grade} added, not retrieved`), {'data-key': `add-missing-${grade}`}))));
  }

  select(document, place) {
    if (this.selected === document && this.active === place) return;
    this.selected = document;
    this.active = place;
    this.changes.redraw();
  }

  drawValues() {
    const {result, state} = this;
    if (!result) return redraw(this.parts.values);
    const several = result.rankings.length > 1;
    const cards = result.measures.map((measure, place) => el('div', {class: `card${measure === result.lead ? ' lead' : ''}`},
      button(measure, () => { this.history.now = {...this.state, lead: place}; this.refresh(); }, {class: 'link', 'aria-pressed': String(measure === result.lead), 'data-key': `lead-${measure}`}),
      result.rankings.map((ranking, here) => {
        const value = ranking.values[measure];
        const earlier = this.before?.rankings[here]?.values[measure];
        const change = earlier === undefined || earlier === null || value === null ? null : value - earlier;
        return el('div', {class: 'value'}, several ? text(`${ranking.name} `, {class: 'small'}) : null, el('b', {}, number(value)), ' ',
          change === null ? null : el('span', {class: `change ${direction(change)}`}, signed(change)));
      })));
    redraw(this.parts.values, el('h2', {}, 'Values'), el('div', {class: 'cards'}, cards),
      result.notes.map((note) => el('p', {class: 'note'}, note)), el('p', {class: 'small'}, id(result.signature)));
  }

  drawCharts(rows) {
    const explanation = this.result?.rankings[this.active]?.explanation;
    const measures = [...new Set(rows.map((row) => row.measure))];
    redraw(this.parts.charts,
      explanation ? [el('h3', {}, 'What each rank adds, dashed: the ideal'), contributions(explanation.terms, explanation.ideal, explanation.measure)] : null,
      rows.length ? [el('h3', {}, 'Values by cutoff'), curves(rows), el('p', {class: 'legend'}, legend(measures).map(([mark, name]) => el('span', {}, mark, ` ${name}`)))] : null);
  }

  drawSteps() {
    const explanation = this.result?.rankings[this.active]?.explanation;
    if (!explanation) return redraw(this.parts.steps);
    const columns = ['rank', 'document', 'grade', 'gain', 'weight', 'adds', 'total', 'ideal grade', 'ideal adds'].map((name) => ({name, number: name !== 'document'}));
    const size = Math.max(explanation.terms.length, explanation.ideal.length);
    const rows = Array.from({length: size}, (_, place) => {
      const [term, best] = [explanation.terms[place], explanation.ideal[place]];
      return [term?.rank ?? best?.rank ?? '', term ? id(term.document) : '', term ? gradeText(term.grade) : '', term ? plain(term.gain) : '', number(term?.weight ?? null), number(term?.contribution ?? null), number(term?.running ?? null), best ? plain(best.grade) : '', best ? number(best.contribution) : ''];
    });
    redraw(this.parts.steps, el('details', {open: true}, el('summary', {}, `Calculation of ${explanation.measure}`),
      explanation.formula ? el('p', {}, explanation.formula) : null,
      el('p', {class: 'arithmetic'}, `${explanation.measure} = ${explanation.arithmetic}`),
      el('p', {}, explanation.sentence),
      table(`Steps of ${explanation.measure}`, columns, rows),
      explanation.missing.length ? el('ul', {}, explanation.missing.map((each) => el('li', {}, missingText(each, explanation.measure)))) : null,
      explanation.other_gain ? el('p', {class: 'note'}, explanation.other_gain) : null,
      explanation.notes.map((note) => el('p', {class: 'note'}, note))));
  }

  async drawChanges(body) {
    const {state, active} = this;
    const found = await post('changes', {...this.alone(), document: this.selected}).catch((error) => announce(error.message));
    if (!found) return;
    const {measure, moves, swap, position, grade} = found;
    const go = (move) => {
      const rank = state.rankings[active].documents.indexOf(move.document);
      const next = rank >= 0 ? state : retrieved(state, active, move.document);
      const from = rank >= 0 ? rank : next.rankings[active].documents.length - 1;
      this.change(moved(next, active, from, move.to - 1), `${move.document} moved to rank ${move.to}`);
    };
    const best = moves.map((move) => [id(move.document), move.from ?? 'not retrieved', move.to, number(move.value), signed(move.change), button('Do it', () => go(move))]);
    const numeric = (...names) => names.map((name) => ({name, number: true}));
    const chosen = this.selected && position;
    redraw(body,
      moves.length ? table(`Moves that raise ${measure} most`, [{name: 'document'}, ...numeric('from rank', 'to rank', measure, 'change'), {name: ''}], best)
        : el('p', {}, `No single move of a relevant document raises ${measure}.`),
      swap.length ? table('Neighbours exchanged', [{name: 'ranks'}, ...numeric(measure, 'change')], swap.map((row) => [row.swap, number(row.value), signed(row.change)])) : null,
      chosen ? table(`${this.selected} at every rank`, numeric('rank', measure, 'change'), position.map((row) => [String(row.position), number(row.value), signed(row.change)]))
        : el('p', {class: 'hint'}, 'Focus a document to see it at every rank and with every grade.'),
      chosen ? table(`${this.selected} with every grade`, numeric('grade', measure, 'change'), grade.map((row) => [plain(row.grade), number(row.value), signed(row.change)])) : null);
  }
}

const plain = (value) => (value === null ? 'n/a' : Number.isInteger(value) ? String(value) : number(value));

const missingText = ({document, grade, rank, place, value, change}, measure) => {
  const where = rank === null ? 'was not retrieved' : `is at rank ${rank}, where it does not count`;
  const what = place === null || value === null ? `it would not raise ${measure}` : `at rank ${place} ${measure} would be ${number(value)} (${signed(change)})`;
  return `${document} (grade ${grade}) ${where}; ${what}`;
};

/** Names of measures, between which blanks stand, but for those in parentheses. */
export function separated(line) {
  return line.match(/[^\s(]+(\([^)]*\)\S*)?/g) ?? [];
}

/** The state of a query of a run. */
export const stateOf = (query, runs) => get('playground', {query, runs: runs.join('\n')});
