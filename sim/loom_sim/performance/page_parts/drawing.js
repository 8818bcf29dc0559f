// The drawing: frames of loops below, ways of channels above them, boxes on top.
const graph = byId("graph");
const boxes = new Map();
let ways = [];
let chosen = { names: new Set(), line: 0 };

function make(name, attributes, parent) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  parent.append(node);
  return node;
}
function write(parent, text, x, y, kind) {
  make("text", { x, y, class: kind }, parent).textContent = text;
}
const bits = (channel) => (channel.width ? 1 + 0.4 * Math.log2(channel.width + 1) : 1);

function figures(loop) { return `II ${number(loop.ii)}, min ${number(loop.min_ii)}`; }

function drawFrame(frame, parent) {
  const loop = loops.get(frame.key);
  const group = make("g", { class: "frame", "data-frame": frame.key }, parent);
  make("rect", { x: frame.x, y: frame.y, width: frame.width, height: frame.height }, group);
  const title = make("g", { class: "title", "data-close": frame.key }, group);
  write(title, `\u25be ${nameOf(loop)}: ${figures(loop)}`, frame.x + 8, frame.y + 17, "");
  title.addEventListener("click", () => { closed.add(frame.key); redraw(frame.key); });
  title.addEventListener("mouseenter", () => tell(aboutLoop(loop)));
}

function drawWay(way, parent) {
  const first = way.channels[0];
  way.node = make("path", { d: way.path, "marker-end": "url(#head)" }, parent);
  way.node.dataset.channel = way.channels.map((channel) => channel.name).join(" ");
  way.node.style.strokeWidth = Math.max(...way.channels.map(bits));
  if (way.channels.every((channel) => !channel.width)) way.node.classList.add("control");
  for (const [kind, set] of [["critical", critical], ["longest", onPath]]) {
    if (way.channels.some((channel) => set.has(channel.from) && set.has(channel.to))) {
      way.node.classList.add(kind);
    }
  }
  way.node.addEventListener("mouseenter", () => tell(way.channels.map(aboutChannel).join("\n\n")));
  way.node.addEventListener("click", () => choose(way.channels.map((channel) => channel.name), 0));
  const middle = way.node.getPointAtLength(way.node.getTotalLength() / 2);
  const label = way.channels.length > 1 ? `${way.channels.length} channels` : first.width || "";
  if (label) write(parent, label, middle.x + 4, middle.y, "width");
}

function drawUnit(unit, box, parent) {
  const group = make("g", { class: unit.kind, transform: `translate(${box.x} ${box.y})` }, parent);
  group.dataset.unit = unit.name;
  if (critical.has(unit.name)) group.classList.add("critical");
  if (onPath.has(unit.name)) group.classList.add("longest");
  make("rect", { x: -box.width / 2, y: -HEIGHT / 2, width: box.width, height: HEIGHT }, group);
  write(group, unit.name, 0, 0, "");
  write(group, unit.operator.replace(/^\w+\./, ""), 0, 12, "small");
  group.addEventListener("mouseenter", () => tell(aboutUnit(unit)));
  group.addEventListener("click", () => choose([unit.name], unit.line));
  boxes.set(unit.name, group);
}

function drawClosed(loop, box, parent) {
  const group = make("g", { class: "closed", transform: `translate(${box.x} ${box.y})` }, parent);
  group.dataset.open = loop.key;
  make("rect", { x: -box.width / 2, y: -box.height / 2, width: box.width, height: box.height }, group);
  write(group, `\u25b8 ${nameOf(loop)}`, 0, -10, "");
  write(group, figures(loop), 0, 5, "");
  write(group, `${allUnits(loop).length} units`, 0, 19, "small");
  group.addEventListener("mouseenter", () => tell(aboutLoop(loop)));
  group.addEventListener("click", () => { closed.delete(loop.key); redraw(loop.key); });
  boxes.set(`loop ${loop.key}`, group);
}

// The loop `key`, if one is named, stays where it was on the screen.
let layout = null;
function redraw(key) {
  const before = layout && key ? middleOf(key) : null;
  layout = layOut(engine);
  graph.replaceChildren();
  boxes.clear();
  const head = make("marker", { id: "head", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8,
    markerHeight: 8, markerUnits: "userSpaceOnUse", orient: "auto" }, make("defs", {}, graph));
  make("path", { d: "M0 0L8 4L0 8z", class: "head" }, head);
  const [frames, lines, nodes] = ["frames", "ways", "boxes"].map((name) => make("g", { class: name }, graph));
  for (const frame of layout.frames) drawFrame(frame, frames);
  ways = layout.ways;
  for (const way of ways) drawWay(way, lines);
  for (const [name, box] of layout.boxes) {
    if (units.has(name)) drawUnit(units.get(name), box, nodes);
    else drawClosed(loops.get(name.slice(5)), box, nodes);
  }
  make("g", { class: "tokens" }, graph);
  paint();
  showChosen();
  showCycle();
  if (!before) fit();
  else move(middleOf(key).x - before.x, middleOf(key).y - before.y);
}
function middleOf(key) {
  const frame = layout.frames.find((each) => each.key === key);
  return frame ? { x: frame.x + frame.width / 2, y: frame.y + 17 } : layout.boxes.get(`loop ${key}`);
}

// What is under the pointer.
function tell(text) { byId("detail").textContent = text; }
function aboutChannel(channel) {
  return `${channel.name}: ${channel.type}\n${channel.ends}\n${channel.tokens} tokens, ` +
    `moving in ${percent(channel.busy)}, waiting in ${percent(channel.waiting)} of ${data.cycles} cycles`;
}
function aboutUnit(unit) {
  const place = unit.line ? `line ${unit.line}` : "no line of its own";
  const cost = unit.luts === null ? "" : `\n${unit.luts} LUT4, ${unit.flip_flops} FF` +
    (unit.delay === null ? "" : `, ${unit.delay.toFixed(1)} ns between two registers`);
  return `${unit.name}: ${unit.operator}\n${unit.detail}\n${place}${cost}`;
}
function aboutLoop(loop) {
  const all = allUnits(loop);
  return `loop at ${nameOf(loop)}: ${loop.text}\n${loop.iterations} iterations, ${figures(loop)}; ` +
    `${loop.limited_by || "no bound known"}\n${all.length} units, ` +
    `${Math.round(sum(all.map((unit) => unit.luts)))} LUT4, ${Math.round(sum(all.map((unit) => unit.flip_flops)))} FF`;
}

// Chosen units, channels and a line, in the drawing and in the source.
const lines = new Map();
for (const item of document.querySelectorAll("#source li")) lines.set(Number(item.dataset.line), item);
function choose(names, line) {
  chosen = { names: new Set(names), line };
  showChosen();
  lines.get(line)?.scrollIntoView({ block: "nearest" });
}
function showChosen() {
  for (const marked of document.querySelectorAll(".on")) marked.classList.remove("on");
  for (const name of chosen.names) {
    if (units.has(name)) boxes.get(boxOf(name))?.classList.add("on");
  }
  for (const way of ways) {
    if (way.channels.some((channel) => chosen.names.has(channel.name))) way.node.classList.add("on");
  }
  lines.get(chosen.line)?.classList.add("on");
}
function unitsOf(line) { return data.units.filter((unit) => unit.line === line).map((unit) => unit.name); }
for (const [line, item] of lines) item.addEventListener("click", () => choose(unitsOf(line), line));
