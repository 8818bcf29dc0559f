// The first cycles one by one: which tokens move and which wait.
const replay = { cycle: 0, playing: false, begun: 0 };
const PERIOD = 500;
const still = matchMedia("(prefers-reduced-motion: reduce)");

function stateOf(way) {
  const letters = way.channels.map((channel) => states[channel.name][replay.cycle - 1]);
  return letters.includes("m") ? "moves" : letters.includes("w") ? "waits" : "idle";
}
function showCycle() {
  const on = replay.cycle > 0;
  byId("cycle").value = replay.cycle;
  byId("cycle-text").textContent = on ? `cycle ${replay.cycle} of ${replayed}` : `the first ${replayed} cycles`;
  graph.classList.toggle("replay", on);
  const tokens = graph.querySelector(".tokens");
  if (!tokens) return;
  tokens.replaceChildren();
  for (const way of ways) {
    way.node.classList.remove("moves", "waits", "idle");
    if (!on) continue;
    const state = stateOf(way);
    way.node.classList.add(state);
    if (state !== "idle") {
      way.token = make("circle", { r: 5, class: state }, tokens);
      way.token.dataset.of = way.node.dataset.channel;
      placeToken(way, state === "waits" ? 0.9 : 0.5);
    }
  }
  drawTimeline();
}
function placeToken(way, share) {
  const point = way.node.getPointAtLength(share * way.node.getTotalLength());
  way.token.setAttribute("cx", point.x);
  way.token.setAttribute("cy", point.y);
}
function setCycle(cycle) {
  replay.cycle = Math.max(0, Math.min(replayed, cycle));
  showCycle();
}
function frame(now) {
  if (!replay.playing) return;
  if (now - replay.begun >= PERIOD) {
    replay.begun = now;
    if (replay.cycle >= replayed) play(false);
    else setCycle(replay.cycle + 1);
  }
  if (!still.matches) {
    const share = Math.min(1, (now - replay.begun) / PERIOD);
    for (const way of ways) if (way.node.classList.contains("moves")) placeToken(way, share);
  }
  requestAnimationFrame(frame);
}
function play(on) {
  replay.playing = on;
  byId("play").textContent = on ? "\u23f8" : "\u25b6";
  byId("play").setAttribute("aria-pressed", on);
  if (!on) return;
  if (replay.cycle >= replayed) replay.cycle = 0;
  replay.begun = 0;
  requestAnimationFrame(frame);
}
byId("cycle").max = replayed;
byId("cycle").addEventListener("input", (event) => setCycle(Number(event.target.value)));
byId("play").addEventListener("click", () => play(!replay.playing));
byId("back").addEventListener("click", () => { play(false); setCycle(replay.cycle - 1); });
byId("on").addEventListener("click", () => { play(false); setCycle(replay.cycle + 1); });
