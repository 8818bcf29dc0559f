"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const graph = document.getElementById("graph");
const detail = document.getElementById("detail");
const critical = new Set(data.critical);
const boxes = new Map();
const ways = new Map();
const lines = new Map();
for (const item of document.querySelectorAll("#source li")) lines.set(Number(item.dataset.line), item);

function make(name, attributes, parent) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  parent.append(node);
  return node;
}

// Channels first, so that boxes lie above them.
const head = make("marker", { id: "head", viewBox: "0 0 8 8", refX: 7, refY: 4,
  markerWidth: 5, markerHeight: 5, orient: "auto" }, make("defs", {}, graph));
make("path", { d: "M0 0L8 4L0 8z", style: "fill:#66707c;stroke:none" }, head);
for (const channel of data.channels) {
  const path = make("path", { d: channel.path, "marker-end": "url(#head)" }, graph);
  path.dataset.channel = channel.name;
  if (critical.has(channel.from) && critical.has(channel.to)) path.classList.add("critical");
  path.addEventListener("mouseenter", () => { detail.textContent = aboutChannel(channel); });
  ways.set(channel.name, path);
}
for (const unit of data.units) {
  const group = make("g", { class: unit.kind, transform: `translate(${unit.x} ${unit.y})` }, graph);
  group.dataset.unit = unit.name;
  if (critical.has(unit.name)) group.classList.add("critical");
  make("rect", { x: -unit.width / 2, y: -data.height / 2, width: unit.width, height: data.height }, group);
  make("text", { y: 0 }, group).textContent = unit.name;
  make("text", { y: 12, class: "small" }, group).textContent = unit.operator;
  group.addEventListener("mouseenter", () => { detail.textContent = aboutUnit(unit); });
  group.addEventListener("click", () => choose([unit.name], unit.line));
  boxes.set(unit.name, group);
}

function percent(share) { return `${(100 * share).toFixed(1)} %`; }

function aboutChannel(channel) {
  return `${channel.name}: ${channel.type}\n${channel.ends}\n${channel.tokens} tokens, ` +
    `moving in ${percent(channel.busy)}, waiting in ${percent(channel.waiting)} of ${data.cycles} cycles`;
}

function aboutUnit(unit) {
  const place = unit.line ? `line ${unit.line}` : "no line of its own";
  return `${unit.name}: ${unit.operator}\n${unit.detail}\n${place}`;
}

// Chosen units and lines, in the graph and in the source.
function choose(names, line) {
  for (const marked of document.querySelectorAll(".on")) marked.classList.remove("on");
  for (const name of names) {
    const node = boxes.get(name) ?? ways.get(name);
    node.classList.add("on");
  }
  const item = lines.get(line);
  if (item) {
    item.classList.add("on");
    item.scrollIntoView({ block: "nearest" });
  }
}

function unitsOf(line) { return data.units.filter((unit) => unit.line === line).map((unit) => unit.name); }

for (const [line, item] of lines) item.addEventListener("click", () => choose(unitsOf(line), line));

const table = document.getElementById("loops");
const number = (value) => (value === null ? "-" : value.toFixed(2));
const columns = ["loop", "entries", "iterations", "II", "min II", "limited by"];
table.innerHTML = "<thead><tr></tr></thead><tbody></tbody>";
for (const column of columns) table.tHead.rows[0].append(Object.assign(document.createElement("th"), { textContent: column }));
for (const loop of data.loops) {
  const row = table.tBodies[0].insertRow();
  const cells = [`${"\u00a0".repeat(2 * loop.depth)}${loop.line ? `line ${loop.line}` : loop.file}`, loop.entries, loop.iterations,
    number(loop.ii), number(loop.min_ii), loop.limited_by];
  for (const cell of cells) row.insertCell().textContent = cell;
  row.addEventListener("click", () => choose(unitsOf(loop.line), loop.line));
}

// Colours: from grey to red, or to blue.
function paint() {
  const what = document.getElementById("colour").value;
  const hue = what === "waiting" ? 12 : 215;
  for (const channel of data.channels) {
    const share = Math.min(1, channel[what]);
    const path = ways.get(channel.name);
    path.style.stroke = path.classList.contains("critical") ? "#c2255c" : `hsl(${hue} ${80 * share}% ${68 - 24 * share}%)`;
  }
}
document.getElementById("colour").addEventListener("change", paint);

// The part of the drawing that is shown.
let view;
function show() { graph.setAttribute("viewBox", `${view.x} ${view.y} ${view.width} ${view.height}`); }
function fit() {
  const box = graph.getBBox();
  view = { x: box.x - 20, y: box.y - 20, width: box.width + 40, height: box.height + 40 };
  show();
}
function scale() { const m = graph.getScreenCTM(); return 1 / m.a; }
function zoom(factor, x, y) {
  view = { x: x - (x - view.x) * factor, y: y - (y - view.y) * factor,
    width: view.width * factor, height: view.height * factor };
  show();
}
function at(event) {
  return new DOMPoint(event.clientX, event.clientY).matrixTransform(graph.getScreenCTM().inverse());
}
graph.addEventListener("wheel", (event) => {
  event.preventDefault();
  const point = at(event);
  zoom(event.deltaY > 0 ? 1.2 : 1 / 1.2, point.x, point.y);
}, { passive: false });
let from = null;
graph.addEventListener("pointerdown", (event) => { from = event; graph.classList.add("moving"); });
window.addEventListener("pointerup", () => { from = null; graph.classList.remove("moving"); });
window.addEventListener("pointermove", (event) => {
  if (from === null) return;
  const step = scale();
  view.x -= (event.clientX - from.clientX) * step;
  view.y -= (event.clientY - from.clientY) * step;
  from = event;
  show();
});
function middle(factor) { zoom(factor, view.x + view.width / 2, view.y + view.height / 2); }
document.getElementById("fit").addEventListener("click", fit);
document.getElementById("closer").addEventListener("click", () => middle(1 / 1.4));
document.getElementById("farther").addEventListener("click", () => middle(1.4));
document.getElementById("find").addEventListener("input", (event) => {
  const word = event.target.value.trim();
  const names = [...boxes.keys(), ...ways.keys()];
  choose(word === "" ? [] : names.filter((name) => name.includes(word)), 0);
});
paint();
fit();
