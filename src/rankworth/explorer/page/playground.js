// The playground: rankings that are edited, and at once all that the library says of them.

import {Later, post} from './api.js';
import {contributions, curves, figure, legend, onWidth} from './charts.js';
import {announce, button, copy, direction, el, field, focusOn, gradeText, id, number, panel, plus, redraw, section, select, shortened, signed, table, text, titled} from './dom.js';
import {DEEPEST, DEPTH, moveText, predicate, rankingList} from './ranking.js';
import {added, alone, bare, completed, encoded, graded, moved, removed, retrieved, sortedIdeally, withNewRanking, withRanking, History} from './state.js';

const GAINS = {'': 'of each measure', linear: 'grade', exp2: '2^grade − 1', binary: 'relevant or not'};

const GRADES = ['', 0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
const FIRST = 3; // how many moves are recommended beside the values

export class Playground {
  /** `visit` shows another view. */
  constructor(start, visit) {
    this.start = start;
    this.visit = visit;
    this.history = new History(this.stateOfExample(0));
    this.active = 0;
    this.depth = DEPTH;
    this.selected = null;
    this.result = null;
    this.before = null;
    this.curve = [];
    this.parts = null;
    this.pause = new Later();
    onWidth(() => { if (this.parts) { this.drawContributions(); this.drawCurve(); } });
  }

  get state() {
    return this.history.now;
  }

  /** What the ranking is for: an example or a query. */
  get name() {
    const {example, query, text: words} = this.state;
    return this.start.examples[example]?.name ?? shortened(words || (query === 'q' ? 'Ranking' : query));
  }

  /** Show the playground in a container, and its choices in the header. */
  async show(container, tools) {
    const names = ['choices', 'error', 'subject', 'task', 'best', 'rankings', 'values', 'contributions', 'curve', 'steps', 'notes'];
    this.parts = Object.fromEntries(names.map((name) => [name, el('div', {class: name})]));
    const {choices, error, subject, task, best, rankings, values, contributions: bars, curve, steps, notes} = this.parts;
    [this.opener, this.more] = panel('More…', {'data-key': 'more'});
    tools.replaceChildren(choices, this.opener, this.more);
    error.setAttribute('role', 'alert');
    best.classList.add('advice');
    this.drawn = null;
    this.changes = section('What would each single change do?', (body) => this.drawChanges(body), 'changes');
    container.replaceChildren(el('div', {class: 'playground'},
      subject, error,
      el('div', {class: 'first'}, task, best),
      el('div', {class: 'columns'},
        el('section', {'aria-label': 'Rankings'}, rankings),
        el('section', {'aria-label': 'Values'}, values, steps)),
      el('section', {'aria-label': 'Charts', class: 'charts'}, bars, curve),
      el('section', {'aria-label': 'Details'}, notes, this.changes)));
    await this.refresh();
  }

  /** Another view is shown instead. */
  hide() {
    this.parts = null;
  }

  stateOfExample(index) {
    return completed({...this.start.examples[index].state, example: index});
  }

  /** Replace the state by another: an example, a link, a query of a run. */
  open(state) {
    this.history.change(completed(state));
    this.active = 0;
    this.depth = DEPTH;
    this.selected = this.result = this.before = null;
    return this.refresh();
  }

  /** A change by the user: it can be undone, and is announced; the focus goes to the first of the keys that is there. */
  change(state, message, ...keys) {
    this.history.change(state);
    this.changed(message, ...keys);
  }

  step(back) {
    if ((back ? this.history.undo() : this.history.redo())) this.changed(back ? 'Undone' : 'Done again');
  }

  changed(message, ...keys) {
    this.active = Math.min(this.active, this.state.rankings.length - 1);
    this.before = this.result;
    this.parts.best.inert = true; // it is about what was
    if (keys.length) this.focus = keys;
    announce(message);
    return this.refresh();
  }

  /** The state with the ranking that is looked at alone. */
  alone() {
    return alone(this.state, this.active);
  }

  /** Values and contributions at once; all that takes longer after a pause, in which nothing else is changed. */
  async refresh() {
    if (!this.parts) return;
    this.pause.cancel();
    encoded(this.state).then((link) => history.replaceState(null, '', `#${link}`));
    this.drawTools();
    try {
      const result = await post('score', bare(this.state));
      if (!result || !this.parts) return;
      this.result = result;
      this.draw(null);
      this.later();
    } catch (error) {
      this.result = null;
      if (this.parts) this.draw(error);
    }
  }

  draw(error) {
    if (this.focus) document.activeElement?.blur(); // it goes elsewhere once all is drawn
    redraw(this.parts.error, error ? [el('p', {}, error.message), error.remedy ? el('p', {class: 'hint'}, error.remedy) : null] : []);
    this.drawRankings();
    this.drawValues();
    this.drawContributions();
    this.drawSteps();
    this.drawNotes();
    if (error) redraw(this.parts.curve);
    if (error || this.parts.best.inert) redraw(this.parts.best);
    this.parts.best.inert = false;
    if (this.focus) focusOn(...this.focus);
    this.focus = null;
  }

  later() {
    this.pause.schedule(() => this.drawLater());
  }

  async drawLater() {
    const curve = await post('curve', bare(this.alone()));
    if (!curve || !this.parts) return;
    this.curve = curve.rows;
    this.drawCurve();
    const known = this.state.documents.some((each) => each.id === this.selected);
    const single = await post('changes', {...bare(this.alone()), document: known ? this.selected : null});
    if (!single || !this.parts) return;
    this.single = single;
    this.drawMoves();
    this.changes.redraw();
  }

  /** Examples, measures and settings; drawn again where they are not as they were, since lists are long. */
  drawTools() {
    const {state} = this;
    const {documents, rankings, ...settings} = state;
    const drawn = JSON.stringify([settings, this.history.past.length > 0, this.history.future.length > 0]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const set = (change, message) => {
      this.drawn = null; // what was typed may not be what is set
      this.change({...this.state, ...change}, message);
    };
    const example = this.start.examples[state.example];
    const whole = (value) => (value ? Math.min(DEEPEST, Math.max(1, Math.round(Number(value)))) : null);
    const groups = Map.groupBy(this.start.examples.map((each, index) => ({...each, index})), (each) => each.group);
    const examples = el('select', {'data-key': 'example', 'aria-label': 'Example', on: {change: (event) => this.open(this.stateOfExample(Number(event.target.value)))}},
      example ? null : el('option', {value: '', selected: true}, 'yours'),
      [...groups].map(([group, several]) => el('optgroup', {label: group},
        several.map((each) => el('option', {value: each.index, selected: each.index === state.example}, each.name)))));
    const measures = el('input', {type: 'text', value: state.measures.join(' '), 'aria-label': 'Measures', 'data-key': 'measures', spellcheck: 'false',
      on: {change: (event) => { const measures = separated(event.target.value); set({measures: measures.length ? measures : state.measures, lead: 0}, 'Measures changed'); }}});
    const cutoff = el('input', {type: 'number', min: 1, max: DEEPEST, value: state.cutoff ?? '', 'aria-label': 'Cutoff k', 'data-key': 'cutoff',
      on: {change: (event) => set({cutoff: whole(event.target.value)}, `Cutoff ${whole(event.target.value) ?? 'of each measure'}`)}});
    const rel = el('input', {type: 'number', min: 0, step: 'any', value: state.rel ?? '', placeholder: '1', 'data-key': 'rel',
      on: {change: (event) => set({rel: event.target.value === '' ? null : Number(event.target.value)}, `Relevant from grade ${event.target.value || 1}`)}});
    const options = this.start.options.map((option) => field(option.name,
      select([['', 'of the profile'], ...option.words], state.settings[option.name] ?? '',
        (value) => set({settings: {...this.state.settings, [option.name]: value || null}}, `${option.name}: ${value || 'of the profile'}`), {'data-key': option.name, title: option.help})));
    const changed = ['cutoff', 'gain', 'rel'].filter((name) => (state[name] ?? '') !== '').concat(Object.keys(state.settings).filter((name) => state.settings[name] !== null));
    redraw(this.parts.choices, examples, measures, el('label', {class: 'small'}, 'k ', cutoff));
    redraw(this.more,
      el('div', {class: 'part'},
        field('Profile', select(this.start.profiles.map((profile) => profile.name), state.profile, (profile) => set({profile}, `Profile ${profile}`), {'data-key': 'profile'})),
        field('Gain of nDCG', select(['', ...this.start.gains].map((gain) => [gain, GAINS[gain]]), state.gain, (gain) => set({gain}, `Gain ${GAINS[gain]}`), {'data-key': 'gain'})),
        field('Relevant from', rel), options,
        field('Add a measure', select([['', '…'], ...this.start.measures], '', (name) => set({measures: [...this.state.measures, name]}, `${name} added`), {'data-key': 'add-measure'}))),
      el('div', {class: 'part'},
        button('Copy link', async () => copy(`${location.origin}/#${await encoded(this.state)}`, 'Link'), {'data-key': 'link'}),
        button('As Python', () => this.export('python', 'Python'), {'data-key': 'python'}),
        button('As command', () => this.export('command', 'Command'), {'data-key': 'command'}),
        button('As Markdown', () => this.export('markdown', 'Markdown'), {'data-key': 'markdown'})),
      el('p', {class: 'hint'}, 'On a document: Alt+↑ and Alt+↓ move it, 0 to 9 and ? set the grade, t ties it with the rank above, Delete takes it out. Ctrl+Z undoes.'));
    redraw(this.parts.subject,
      el('h2', {}, text(this.name)),
      el('div', {class: 'facts-line'},
        example ? `${example.group} · ` : state.text ? [id(state.query), ' · '] : null,
        button('Undo', () => this.step(true), {disabled: !this.history.past.length, class: 'quiet', 'data-key': 'undo'}),
        button('Redo', () => this.step(false), {disabled: !this.history.future.length, class: 'quiet', 'data-key': 'redo'}),
        example ? button('Start again', () => this.open(this.stateOfExample(state.example)), {class: 'quiet', 'data-key': 'again'}) : null,
        changed.length ? button(`changed: ${changed.join(', ')} ⟲`, () => set({cutoff: null, gain: '', rel: null, settings: {}}, 'Measures and settings as they are by themselves'), {class: 'quiet', 'data-key': 'reset'}) : null),
      state.note ? el('p', {class: 'note'}, state.note) : null);
    redraw(this.parts.task, example ? el('div', {class: 'try'},
      el('h3', {}, 'Try it'), el('p', {}, example.try), el('p', {class: 'small'}, el('b', {}, 'See: '), example.see),
      example.do ? button('Do it', () => this.attempt(example.do), {class: 'primary', 'data-key': 'attempt'}) : null) : null);
  }

  /** Do what an example proposes: a step of a document, its rank or grade, a setting, the ideal order, another ranking or view. */
  attempt(proposal) {
    const {set, step, rank, grade, ideal, ranking, view} = {...proposal};
    const {state, active} = this;
    const {documents} = state.rankings[active];
    const to = (document, target, message) => {
      const from = documents.indexOf(document);
      if (from >= 0 && documents[target] !== undefined && target !== from) this.change(moved(state, active, from, target), `${document} moved to rank ${target + 1}${message}`);
      else announce(`${document} is at rank ${from + 1}`);
    };
    if (view) this.visit(view);
    else if (ranking !== undefined) this.activate(ranking);
    else if (ideal) this.change(sortedIdeally(state, active), 'Sorted by grade');
    else if (step) Object.entries(step).forEach(([document, by]) => to(document, documents.indexOf(document) + by, ` of ${documents.length}`));
    else if (rank) Object.entries(rank).forEach(([document, target]) => to(document, target - 1, ` of ${documents.length}`));
    else if (grade) Object.entries(grade).forEach(([document, value]) => this.change(graded(state, document, value), `${document}: grade ${value}`));
    else this.change({...state, ...set, settings: {...state.settings, ...('settings' in set ? set.settings : {})}}, 'Settings changed');
    if (ranking !== undefined) this.later();
  }

  async export(form, what) {
    const answer = await post('export', {...bare(this.alone()), form}).catch((error) => announce(error.message));
    if (answer) await copy(answer.text, what);
  }

  drawRankings() {
    const {state} = this;
    const result = this.result?.rankings ?? [];
    const largest = Math.max(...result.flatMap(({explanation}) => explanation?.terms.map((term) => term.contribution ?? 0) ?? []));
    const lists = state.rankings.map((ranking, index) => {
      const page = {
        state, explanation: result[index]?.explanation, largest, selected: index === this.active ? this.selected : null, depth: this.depth,
        current: () => this.state,
        change: (...change) => this.change(...change),
        select: (document) => this.select(document, index),
      };
      return el('div', {class: `system${index === this.active ? ' active' : ''}`, 'data-kept': 'parts'}, this.heading(ranking, index), rankingList(page, index), this.footer(index));
    });
    const deepest = Math.max(...state.rankings.map((ranking) => ranking.documents.length));
    redraw(this.parts.rankings, el('div', {class: 'systems', 'data-kept': 'parts'}, lists),
      deepest > this.depth ? button(`Show ${Math.min(deepest, this.depth * 4)} of ${deepest} ranks`, () => { this.depth *= 4; this.drawRankings(); }, {'data-key': 'deeper'}) : null,
      this.notRetrieved(),
      el('div', {class: 'bar'}, button('+ new ranking', () => this.change(withNewRanking(this.state), 'Ranking added', `name-${state.rankings.length}`), {class: 'quiet', disabled: state.rankings.length > 7, 'data-key': 'add-ranking'})));
  }

  heading(ranking, index) {
    const {state} = this;
    const rename = (event) => {
      const wanted = event.target.value.trim();
      if (wanted && state.rankings.every((each) => each.name !== wanted)) return this.change(withRanking(this.state, index, () => ({name: wanted})), 'Ranking renamed');
      event.target.value = ranking.name;
      return announce(wanted === ranking.name ? '' : `${wanted || 'A ranking without a name'} is not possible: each ranking has a name of its own`);
    };
    const name = el('input', {type: 'text', value: ranking.name, 'aria-label': 'Name of the ranking', 'data-key': `name-${index}`, dir: 'auto', on: {change: rename}});
    return el('div', {class: 'bar heading'}, name,
      state.rankings.length > 1 ? button('show', () => { this.activate(index); this.later(); }, {class: 'quiet activate', 'aria-pressed': String(index === this.active), 'data-key': `active-${index}`}) : null,
      button('Duplicate', () => this.change(withNewRanking(this.state, index), 'Ranking duplicated', `name-${state.rankings.length}`), {class: 'quiet', disabled: state.rankings.length > 7, 'data-key': `duplicate-${index}`}),
      button('Sort ideally', () => this.change(sortedIdeally(this.state, index), 'Sorted by grade'), {class: 'quiet', 'data-key': `sort-${index}`}),
      button('Remove', () => this.change({...this.state, rankings: this.state.rankings.toSpliced(index, 1)}, 'Ranking removed', `name-${Math.max(0, index - 1)}`), {class: 'quiet', disabled: state.rankings.length === 1, 'data-key': `remove-${index}`}));
  }

  footer(index) {
    const {state} = this;
    const held = new Set(state.rankings[index].documents);
    const others = state.documents.filter((each) => !held.has(each.id));
    return el('div', {class: 'bar'},
      button('+ new document', () => this.change(added(this.state, index, null), 'Document added, unjudged'), {class: 'quiet', 'data-key': `add-${index}`}),
      others.length ? select([['', 'add a known document …'], ...others.map((each) => [each.id, `${this.title(each.id)} (${gradeText(each.grade)})`])], '',
        (document) => document && this.change(retrieved(this.state, index, document), `${document} added at the end`, `row-${index}-${document}`, `known-${index}`), {'aria-label': 'Add a known document', 'data-key': `known-${index}`}) : null);
  }

  /** Documents that no ranking has: without them the ideal ranking is made of what came back. */
  notRetrieved() {
    const {state} = this;
    const ids = new Set(state.rankings.flatMap((ranking) => ranking.documents));
    const missing = state.documents.filter((each) => !ids.has(each.id));
    const without = (each, index) => this.change(removed(this.state, each.id), `${each.id} removed`, `chip-${missing[index + 1]?.id}`, `chip-${missing[index - 1]?.id}`, 'add-missing-1');
    return el('div', {class: 'missing'},
      el('h3', {}, 'Judged and not retrieved'),
      el('ul', {class: 'chips'}, missing.slice(0, this.depth).map((each, index) => el('li', {},
        titled(each.text, each.id, {class: 'clip'}), ' ',
        select([['', '?'], ...new Set([...GRADES.slice(1), each.grade].filter((grade) => grade !== null))], each.grade ?? '',
          (value) => this.change(graded(this.state, each.id, value === '' ? null : Number(value)), `${each.id}: grade ${value || '?'}`), {'aria-label': `Grade of ${each.id}`, 'data-key': `missing-${each.id}`}),
        button('×', () => without(each, index), {'aria-label': `Remove ${each.id}`, 'data-key': `chip-${each.id}`})))),
      missing.length > this.depth ? el('p', {class: 'hint'}, `and ${missing.length - this.depth} more`) : null,
      el('div', {class: 'bar'}, [1, 2, 3].map((grade) => button(`+ grade ${grade}`, () => this.change(added(this.state, null, grade), `Document of grade ${grade} added, not retrieved`), {class: 'quiet', 'data-key': `add-missing-${grade}`}))));
  }

  /** The focus is on a document of a ranking: what concerns that ranking follows, rows stay as they are. */
  select(document, index) {
    if (this.selected === document && this.active === index) return;
    this.selected = document;
    this.activate(index);
    this.later();
  }

  activate(index) {
    const systems = [...this.parts.rankings.querySelectorAll('.system')];
    systems.forEach((system, here) => {
      system.classList.toggle('active', here === index);
      system.querySelector('.activate')?.setAttribute('aria-pressed', String(here === index));
      system.querySelectorAll('.row').forEach((row) => row.classList.toggle('selected', here === index && row.dataset.key === `row-${index}-${this.selected}`));
    });
    if (this.active === index) return;
    this.active = index;
    this.drawContributions();
    this.drawSteps();
    this.drawNotes();
  }

  /** The text of a document. */
  content(name) {
    return this.state.documents.find((each) => each.id === name)?.text ?? '';
  }

  /** The title of a document as text, or its id. */
  title(name) {
    return shortened(this.content(name).trimStart().split('\n', 1)[0], 60) || name;
  }

  drawValues() {
    const {result, state} = this;
    if (!result) return redraw(this.parts.values);
    const several = result.rankings.length > 1;
    const earlier = new Map(this.before?.rankings.map((ranking) => [ranking.name, new Map(Object.entries(ranking.values))])); // by other measures, perhaps
    const cards = result.measures.map((measure, index) => el('div', {class: `card${measure === result.lead ? ' lead' : ''}`},
      button(measure, () => { this.history.now = {...this.state, lead: index}; this.refresh(); }, {class: 'link', 'aria-pressed': String(measure === result.lead), 'data-key': `lead-${measure}`}),
      result.rankings.map((ranking) => {
        const value = ranking.values[measure];
        const was = earlier.get(ranking.name)?.get(measure) ?? null;
        const change = was === null || value === null ? null : value - was;
        return el('div', {class: 'value'}, several ? text(`${ranking.name} `, {class: 'small'}) : null, el('b', {}, number(value)), ' ',
          change === null ? null : el('span', {class: `change ${direction(change)}`}, signed(change)));
      })));
    redraw(this.parts.values, el('div', {class: 'cards'}, cards));
    return null;
  }

  get explanation() {
    return this.result?.rankings[this.active]?.explanation;
  }

  /** What each rank of the ranking that is looked at adds. */
  drawContributions() {
    const {explanation} = this;
    redraw(this.parts.contributions, explanation ? [
      el('h3', {}, 'What each rank adds, dashed: the ideal'), figure(contributions(explanation.terms, explanation.ideal, explanation.measure), `${explanation.measure} by rank`)] : null);
  }

  drawCurve() {
    const rows = this.curve;
    const measures = [...new Set(rows.map((row) => row.measure))];
    redraw(this.parts.curve,
      rows.length ? [el('h3', {}, 'Values by cutoff'), figure(curves(rows), 'values by cutoff'), el('p', {class: 'legend'}, legend(measures).map(([mark, name]) => el('span', {}, mark, ` ${name}`)))] : null);
  }

  /** The moves that would raise the value most, each with a button that does it. */
  drawMoves() {
    const {measure, moves} = this.single;
    const {active, result} = this;
    const value = result?.rankings[active]?.values[measure];
    redraw(this.parts.best,
      el('h3', {}, `What would raise ${measure} most`),
      moves.length ? el('ol', {class: 'proposals'}, moves.slice(0, FIRST).map((move) => el('li', {}, moveText(move, this.content(move.document)),
        el('span', {class: 'small values'}, `${number(value)} → ${number(move.value)}`), el('b', {class: 'number better'}, plus(move.change)), this.doIt(move, 'best'))))
        : el('p', {class: 'hint'}, !this.state.rankings[active].documents.length ? 'The ranking is empty: add a document below it.'
          : this.explanation ? `Nothing to gain: moving a document does not raise ${measure}. Try a lower grade, a larger k, or add a document.` : `No rank adds anything to ${measure}. Choose another measure beside the ranking.`));
  }

  doIt(move, where) {
    const go = () => {
      const {state, active} = this;
      const rank = state.rankings[active].documents.indexOf(move.document);
      const next = rank >= 0 ? state : retrieved(state, active, move.document);
      const from = rank >= 0 ? rank : next.rankings[active].documents.length - 1;
      this.change(moved(next, active, from, move.to - 1), `${move.document} moved to rank ${move.to}`, `row-${active}-${move.document}`);
    };
    return button('Do it', go, {'data-key': `${where}-${move.document}`, 'aria-label': `Do it: ${move.document} to rank ${move.to}`});
  }

  /** How the value of the ranking that is looked at is computed: the table of `explain`. */
  drawSteps() {
    const {explanation} = this;
    if (!explanation) return redraw(this.parts.steps);
    const [steps, ideal] = explanation.tables;
    const shown = (caption, columns) => table(caption, columns.map(({name, number: right, apart}) => ({name, number: right, apart})), columns[0].cells.map((_, row) => columns.map(({name, cells}) => (name === 'document' ? titled(this.content(cells[row]), cells[row]) : cells[row]))));
    return redraw(this.parts.steps,
      el('p', {class: 'arithmetic'}, `${explanation.measure} = ${explanation.arithmetic}`),
      shown(`Steps of ${explanation.measure}`, steps), ideal ? shown('The ideal ranking', ideal) : null,
      explanation.formula ? el('p', {class: 'small'}, explanation.formula) : null);
  }

  /** What must be said about the value and does not stand in the table. */
  drawNotes() {
    const {explanation, result} = this;
    redraw(this.parts.notes,
      explanation ? [el('p', {class: 'small'}, explanation.sentence),
        explanation.missing.length ? el('ul', {class: 'sentences'}, explanation.missing.map((each) => el('li', {}, titled(this.content(each.document), each.document), ` ${predicate(each)}`))) : null,
        explanation.other_gain ? el('p', {class: 'note'}, explanation.other_gain) : null] : null,
      [...new Set([...(result?.notes ?? []), ...(explanation?.notes ?? [])])].map((note) => el('p', {class: 'note'}, note)),
      result ? el('p', {class: 'small'}, id(result.signature)) : null);
  }

  drawChanges(body) {
    if (!this.single) return;
    const {measure, document, moves, swap, position, grade} = this.single;
    const best = moves.map((move) => [titled(this.content(move.document), move.document), move.from ?? 'not retrieved', move.to, number(move.value), signed(move.change), this.doIt(move, 'move')]);
    const numeric = (...names) => names.map((name) => ({name, number: true}));
    redraw(body,
      moves.length ? table(`Moves that raise ${measure} most`, [{name: 'document'}, ...numeric('from rank', 'to rank', measure, 'change'), {name: ''}], best)
        : el('p', {}, `No single move of a relevant document raises ${measure}.`),
      swap.length ? table('Neighbours exchanged', [{name: 'ranks'}, ...numeric(measure, 'change')], swap.map((row) => [row.swap, number(row.value), signed(row.change)])) : null,
      document && position.length ? table(`${this.title(document)} at every rank`, numeric('rank', measure, 'change'), position.map((row) => [String(row.position), number(row.value), signed(row.change)]))
        : el('p', {class: 'hint'}, 'Focus a document to see it at every rank and with every grade.'),
      document && grade.length ? table(`${this.title(document)} with every grade`, numeric('grade', measure, 'change'), grade.map((row) => [plain(row.grade), number(row.value), signed(row.change)])) : null,
      this.curve.length ? this.cutoffTable() : null);
  }

  /** The values of the curve as a table, a row for each cutoff. */
  cutoffTable() {
    const byCutoff = Map.groupBy(this.curve, (row) => row.cutoff);
    const measures = [...new Set(this.curve.map((row) => row.measure))];
    const rows = [...byCutoff].map(([cutoff, values]) => [String(cutoff), ...measures.map((name) => number(values.find((row) => row.measure === name)?.value))]);
    return table('Values at every cutoff', ['cutoff', ...measures].map((name) => ({name, number: true})), rows);
  }
}

const plain = (value) => (value === null ? 'n/a' : Number.isInteger(value) ? String(value) : number(value));

/** Names of measures, between which blanks or commas stand, but for those in parentheses. */
export const separated = (line) => line.match(/[^\s,(]+(\([^)]*\)[^\s,]*)?/g) ?? [];
