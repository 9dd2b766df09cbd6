"use strict";

// Steps through the games of the page. Step s shows the position before move s + 1, the last step the end.

const { cells, lines, codes, games } = JSON.parse(document.getElementById("data").textContent);
const viewer = document.getElementById("viewer");
const board = viewer.querySelector("svg");
const slider = viewer.querySelector("input[type=range]");
const judges = viewer.querySelector("fieldset");
const losses = viewer.querySelector(".losses");
const links = document.querySelectorAll("a[data-game]");

// Where the tile in hand and the points so far stand, in corners that the board leaves free.
const HAND = [335, -395];
const CORNER = [-440, -440];

let game = games[0];
let judge = game.judges[0];
let step = 0;

function svg(name, attributes, text = "") {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.textContent = text;
  return element;
}

const use = (symbol, [x, y] = [0, 0], kind = "") => svg("use", { href: `#${symbol}`, x, y, class: kind });
const label = (text, [x, y], kind = "") => svg("text", { x, y, class: kind }, text);
const write = (value, digits) => value.toFixed(digits).replace("-", "\u2212");

/** What the board shows at this step, from the bottom to the top. */
function shapes() {
  const tiles = game.cells.slice(0, step).map((cell, move) => [game.draws[move], cells[cell]]);
  const over = step === game.cells.length;
  if (!over) tiles.push([game.draws[step], HAND]);
  const values = judge.values[step] ?? [];
  const legal = values.flatMap((value, cell) => (value === null ? [] : [cell]));
  return [
    use("rims"),
    ...(over ? [] : [use("rim", HAND)]),
    ...cells.map((place, cell) => use("cell", place, cell === judge.best[step] ? "best" : "")),
    ...tiles.map(([tile, place], move) => use(`tile-${tile}`, place, move === step - 1 ? "landed" : "")),
    ...game.bands[step].map(([line, number]) => use(`band-${line}-${number}`)),
    ...tiles.map(([tile, place]) => use(`numbers-${tile}`, place)),
    ...game.points[step].map(([line, points]) => label(points, lines[line])),
    ...legal.map((cell) => label(write(values[cell], judge.digits), cells[cell])),
    ...(over ? [] : [use("cell", cells[game.cells[step]], "played")]),
    label(game.points[step].reduce((sum, [, points]) => sum + points, 0), CORNER, "points"),
  ];
}

/** The move at this step in words. */
function sentence() {
  const possible = game.attainable[step];
  if (step === game.cells.length) {
    return `The end: ${game.score} points, where ${game.attainable[0]} were possible with the draws known.`;
  }
  const [cell, best] = [game.cells[step], judge.best[step]];
  const worth = (at) => write(judge.values[step][at], judge.digits);
  const choice = judge.losses[step]
    ? `worth ${worth(cell)} to ${judge.agent}, which prefers cell ${best} (${worth(best)})`
    : `the best by ${judge.agent} (${worth(cell)})`;
  const lost = possible - game.attainable[step + 1];
  return (
    `Move ${step + 1}: tile ${codes[game.draws[step]]} on cell ${cell}, ${choice}. ` +
    `Still possible with the draws known: ${possible}` +
    (lost ? `, after this move ${possible - lost}.` : ", and after this move too.")
  );
}

function show() {
  board.replaceChildren(...shapes());
  board.setAttribute("aria-label", `The board of ${game.name}, ${game.title}, after ${step} moves`);
  viewer.querySelector(".move").textContent = sentence();
  slider.value = step;
  slider.setAttribute("aria-valuetext", step < game.cells.length ? `move ${step + 1}` : "the end");
  [...losses.children].forEach((bars, move) => bars.classList.toggle("now", move === step));
}

function go(to) {
  step = Math.min(Math.max(to, 0), game.cells.length);
  show();
}

function bar(kind, share) {
  const element = document.createElement("i");
  element.className = kind;
  element.style.height = `${100 * share}%`;
  return element;
}

/** Shows the values and the losses that a judge sees in the game. */
function listen(to) {
  judge = to;
  const hindsight = game.cells.map((_, move) => game.attainable[move] - game.attainable[move + 1]);
  const most = Math.max(1, ...hindsight, ...judge.losses);
  const bars = hindsight.map((lost, move) => {
    const item = document.createElement("li");
    item.append(bar("judged", judge.losses[move] / most), bar("hindsight", lost / most));
    return item;
  });
  losses.replaceChildren(...bars);
  losses.dataset.most = `${write(most, Number.isInteger(most) ? 0 : judge.digits)} at most`;
  show();
}

function option(candidate, number) {
  const element = document.createElement("label");
  const radio = document.createElement("input");
  Object.assign(radio, { type: "radio", name: "judge", checked: number === 0 });
  radio.addEventListener("change", () => listen(candidate));
  element.append(radio, ` ${candidate.agent}`);
  return element;
}

/** Takes a game of the page to step through, from its first move on. */
function take(number) {
  game = games[number];
  step = 0;
  viewer.querySelector("h3").textContent = `${game.name}: ${game.title}, ${game.score} points`;
  slider.max = game.cells.length;
  judges.replaceChildren(judges.firstElementChild, ...game.judges.map(option));
  links.forEach((link) => link.setAttribute("aria-current", Number(link.dataset.game) === number));
  listen(game.judges[0]);
}

const moves = { first: () => 0, back: () => step - 1, on: () => step + 1, last: () => game.cells.length };
const keys = { ArrowLeft: "back", ArrowRight: "on" };

viewer.querySelectorAll("button").forEach((button) => {
  button.addEventListener("click", () => go(moves[button.value]()));
});
slider.addEventListener("input", () => go(Number(slider.value)));
links.forEach((link) => {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    take(Number(link.dataset.game));
    viewer.scrollIntoView();
  });
});
document.addEventListener("keydown", (event) => {
  const { target } = event;
  const here = target === document.body || target.dataset.game || viewer.contains(target);
  if (!here || target.matches("input") || event.ctrlKey || event.altKey || event.metaKey) return;
  if (keys[event.key]) go(moves[keys[event.key]]());
});

viewer.hidden = false;
take(0);
