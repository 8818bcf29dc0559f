// Which boxes and ways are shown, and where Graphviz puts them.
const INCH = 72, HEIGHT = 34, LETTER = 7.2, MARGIN = 16, CLOSED_WIDTH = 190, CLOSED_HEIGHT = 56;
const MANY = 150;
const closed = new Set();
if (units.size > MANY) {
  const open = new Set(longest ? nest(longest.key).map((loop) => loop.key) : []);
  for (const key of loops.keys()) if (!open.has(key) && loops.get(key).units.length) closed.add(key);
}

// The box that stands for a unit: its own, or that of the outermost closed loop around it.
function boxOf(name) {
  const hidden = nest(units.get(name).loop).find((loop) => closed.has(loop.key));
  return hidden ? `loop ${hidden.key}` : name;
}

// Ways between units are channels; those to and from a closed loop are bundled.
function waysShown() {
  const found = new Map();
  for (const channel of data.channels) {
    const from = boxOf(channel.from), to = boxOf(channel.to);
    if (from === to && from.startsWith("loop ")) continue;
    const bundled = from.startsWith("loop ") || to.startsWith("loop ");
    const key = bundled ? `${from}>${to}` : channel.name;
    if (!found.has(key)) found.set(key, { from, to, channels: [] });
    found.get(key).channels.push(channel);
  }
  return [...found.values()];
}

function dotOf(ways) {
  const numbers = new Map();
  const text = ["digraph {", "graph [nodesep=0.2, ranksep=0.35, nslimit=8, nslimit1=8, margin=0]",
    "node [shape=box, fixedsize=true, label=\"\"]", "edge [arrowhead=none]"];
  const place = (name, width, height) => {
    numbers.set(name, numbers.size);
    text.push(`n${numbers.get(name)} [id="${numbers.get(name)}" width=${(width / INCH).toFixed(3)} ` +
      `height=${(height / INCH).toFixed(3)}]`);
  };
  const placeUnits = (list) => {
    for (const unit of list) place(unit.name, MARGIN + LETTER * unit.name.length, HEIGHT);
  };
  const placeLoop = (loop) => {
    if (!allUnits(loop).length) return;
    if (closed.has(loop.key)) {
      place(`loop ${loop.key}`, CLOSED_WIDTH, CLOSED_HEIGHT);
      return;
    }
    text.push(`subgraph "cluster_${[...loops.keys()].indexOf(loop.key)}" {`,
      "label=\"-\" labeljust=l margin=14");
    placeUnits(loop.units);
    inside(loop.key).forEach(placeLoop);
    text.push("}");
  };
  placeUnits(data.units.filter((unit) => !loops.has(unit.loop)));
  inside(null).forEach(placeLoop);
  ways.forEach((way, k) => text.push(`n${numbers.get(way.from)} -> n${numbers.get(way.to)} [id="${k}"]`));
  text.push("}");
  return { text: text.join("\n"), names: [...numbers.keys()] };
}

// Graphviz's y grows upwards, that of a page downwards.
function wayOf(text) {
  const points = [];
  for (const word of text.split(" ")) {
    const [x, y] = word.replace(/^[se],/, "").split(",").map(Number);
    if (!/^[se],/.test(word)) points.push(`${x} ${-y}`);
  }
  return `M${points[0]}C${points.slice(1).join(" ")}`;
}

function layOut(engine) {
  const ways = waysShown();
  const { text, names } = dotOf(ways);
  const found = engine(text);
  const boxes = new Map(), frames = [];
  for (const each of found.objects ?? []) {
    if (each.name.startsWith("cluster_")) {
      const [left, below, right, above] = each.bb.split(",").map(Number);
      const key = [...loops.keys()][Number(each.name.slice(8))];
      frames.push({ key, x: left, y: -above, width: right - left, height: above - below });
    } else {
      const [x, y] = each.pos.split(",").map(Number);
      boxes.set(names[Number(each.id)], { x, y: -y, width: INCH * each.width, height: INCH * each.height });
    }
  }
  for (const edge of found.edges ?? []) ways[Number(edge.id)].path = wayOf(edge.pos);
  return { boxes, frames, ways };
}
