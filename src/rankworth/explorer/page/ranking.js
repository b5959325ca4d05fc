// A ranking that is put in order by dragging, by buttons and by keys, with the grade of each document.

import {amountBar} from './charts.js';
import {button, el, gradeText, number, select, titled} from './dom.js';
import {dropped, graded, isTied, moved, tied} from './state.js';

export const DEPTH = 25; // how many ranks are drawn at first
export const DEEPEST = 1000; // how many a ranking has at most
const GRADES = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
const key = (index, document) => `row-${index}-${document}`;

/** The grades of a document to choose from: the usual ones and its own; `none` names the choice of no grade. */
export function gradeSelect(document, grade, none, set, attributes) {
  const choices = [...new Set([...GRADES, grade])].filter((each) => each !== null);
  return select([...(none ? [['', none]] : []), ...choices], grade ?? '', (value) => set(value === '' ? null : Number(value)),
    {'aria-label': `Grade of ${document}`, ...attributes});
}

/** Where a document stands: its rank, or the ranks that it shares with others of equal score. */
function rankText(term, index) {
  if (!term) return String(index + 1);
  return term.first === term.last ? String(term.rank) : `${term.first}–${term.last}`;
}

/** The shade of a grade. */
export const shade = (grade) => `grade-${grade === null ? 'none' : Math.min(Math.max(Math.round(grade), 0), 4)}`;

/** Where a document would be moved, by its title. */
export const moveText = (move, title) => el('span', {class: 'move'},
  titled(title, move.document, {class: 'clip'}), el('span', {}, `(grade ${gradeText(move.grade)})${move.from === null ? `, not retrieved, to rank ${move.to}` : ` from rank ${move.from} to ${move.to}`}`));

/** What a sentence of the library says of a document, without its id, with which it begins. */
export const predicate = ({document, sentence}) => (sentence.startsWith(`${document} `) ? sentence.slice(document.length + 1) : sentence);

/**
 * The list of a ranking.
 *
 * page: {state, explanation, largest, selected, depth, current(), change(state, message, ...keys), select(document)}.
 */
export function rankingList(page, index) {
  const {state, explanation} = page;
  const ranking = state.rankings[index];
  const known = new Map(state.documents.map((each) => [each.id, each]));
  const terms = new Map((explanation?.terms ?? []).map((term) => [term.document, term]));
  const rows = ranking.documents.slice(0, page.depth).map((name, rank) => row(page, index, rank, known.get(name), terms.get(name)));
  if (state.cutoff && state.cutoff < rows.length) {
    rows.splice(state.cutoff, 0, el('li', {class: 'cutoff', 'aria-hidden': 'true'}, `cutoff ${state.cutoff}`));
  }
  const empty = rows.length ? null : el('p', {class: 'hint'}, 'No document was retrieved. Add one below.');
  return el('div', {'data-kept': 'parts'}, el('ol', {class: 'ranking', 'data-kept': 'parts', 'aria-label': `Ranking of ${ranking.name}`}, rows), empty);
}

function row(page, index, rank, document, term) {
  const {state} = page;
  const size = state.rankings[index].documents.length;
  const name = document.id;
  // Keys may come faster than the list is drawn: each action begins with the state as it is then.
  const act = (change) => {
    const now = page.current();
    const [next, message, focused = name] = change(now, now.rankings[index].documents.indexOf(name)) ?? [];
    if (next) page.change(next, message, key(index, focused), `add-${index}`);
  };
  const move = (target) => act((now, from) => {
    const {length: size} = now.rankings[index].documents;
    const to = target(from, size);
    return to < 0 || to >= size || to === from ? null : [moved(now, index, from, to), `${name} moved to rank ${to + 1} of ${size}`];
  });
  const grade = (value) => act((now) => [graded(now, name, value), `${name}: grade ${gradeText(value)}`]);
  const tie = () => act((now, from) => {
    if (from === 0) return null;
    const next = tied(now, index, from);
    return [next, `${name} ${isTied(next.rankings[index], from) ? 'tied with' : 'no longer tied with'} the rank above`];
  });
  const drop = () => act((now, from) => {
    const {documents} = now.rankings[index];
    return [dropped(now, index, from), `${name} is not retrieved any more`, documents[from + 1] ?? documents[from - 1] ?? ''];
  });
  return el(
    'li',
    {
      class: `row${isTied(state.rankings[index], rank) ? ' tied' : ''}${page.selected === document.id ? ' selected' : ''}`,
      tabindex: 0, 'data-key': key(index, document.id), 'data-kept': 'whole',
      'aria-label': `rank ${rankText(term, rank)}: ${document.id}, grade ${gradeText(document.grade)}, adds ${number(term?.contribution)}`,
      on: {
        keydown: (event) => onKey(event, {move, grade, tie, drop}),
        focus: () => page.select(document.id),
        pointerdown: (event) => drag(event, (to) => move(() => to)),
      },
    },
    el('span', {class: 'grip', 'aria-hidden': 'true'}, '⠿'),
    el('span', {class: 'rank'}, rankText(term, rank)),
    gradeSelect(document.id, document.grade, '?', grade, {class: `grade ${shade(document.grade)}`, 'data-key': `grade-${index}-${document.id}`}),
    titled(document.text, document.id, {class: 'clip'}),
    el('span', {class: 'moves'},
      button('↑', () => move((from) => from - 1), {'aria-label': `Move ${document.id} up`, 'data-key': `up-${index}-${document.id}`, disabled: rank === 0}),
      button('↓', () => move((from) => from + 1), {'aria-label': `Move ${document.id} down`, 'data-key': `down-${index}-${document.id}`, disabled: rank === size - 1}),
      button('=', tie, {'aria-label': `Tie ${document.id} with the rank above`, 'aria-pressed': String(isTied(state.rankings[index], rank)), disabled: rank === 0}),
      button('×', drop, {'aria-label': `Take ${document.id} out of the ranking`})),
    el('span', {class: 'bar-cell'}, amountBar(term?.contribution ?? 0, page.largest, 112)),
    el('span', {class: 'adds number'}, term ? number(term.contribution) : '–'),
  );
}

/** Drag a row to the rank of the row under the pointer: with a mouse by any part without a control, by touch by its grip. */
function drag(event, move) {
  const row = event.currentTarget;
  const list = row.parentElement;
  const starts = event.pointerType === 'mouse' ? event.button === 0 && !event.target.closest('button, select') : event.target.matches('.grip');
  if (!starts) return;
  let target = null;
  const over = ({clientX, clientY}) => {
    target?.classList.remove('target');
    target = [...list.querySelectorAll('.row')].find((each) => each.contains(document.elementFromPoint(clientX, clientY))) ?? null;
    target?.classList.add('target');
  };
  const end = ({type}) => {
    row.removeEventListener('pointermove', over);
    list.classList.remove('dragging');
    target?.classList.remove('target');
    if (type === 'pointerup' && target) move([...list.querySelectorAll('.row')].indexOf(target));
  };
  row.setPointerCapture(event.pointerId);
  list.classList.add('dragging');
  row.addEventListener('pointermove', over);
  ['pointerup', 'pointercancel'].forEach((type) => row.addEventListener(type, end, {once: true}));
}

function onKey(event, {move, grade, tie, drop}) {
  if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey) return;
  const neighbour = (element) => element?.matches('.cutoff') ? (event.key === 'ArrowUp' ? element.previousElementSibling : element.nextElementSibling) : element;
  const walk = (element) => neighbour(element)?.focus();
  const rows = event.currentTarget.parentElement;
  const actions = event.altKey
    ? {ArrowUp: () => move((from) => from - 1), ArrowDown: () => move((from) => from + 1), Home: () => move(() => 0), End: () => move((_, size) => size - 1)}
    : {
      ArrowUp: () => walk(event.currentTarget.previousElementSibling),
      ArrowDown: () => walk(event.currentTarget.nextElementSibling),
      Home: () => rows.firstElementChild.focus(),
      End: () => rows.lastElementChild.focus(),
      Delete: drop,
      t: tie,
      '?': () => grade(null),
      '-': () => grade(null),
    };
  const action = actions[event.key] ?? (/^[0-9]$/.test(event.key) && !event.altKey ? () => grade(Number(event.key)) : null);
  if (!action) return;
  event.preventDefault();
  action();
}
