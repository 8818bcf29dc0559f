// Graphviz (https://graphviz.org, Eclipse Public License 2.0) as WebAssembly: DOT text to places.
// Its module asks for a system of files and clocks; here nothing but its messages goes anywhere.
const BAD_DESCRIPTOR = 8;

function systemCalls(memory, messages) {
  const view = () => new DataView(memory().buffer);
  const calls = {
    environ_sizes_get(count, size) {
      view().setUint32(count, 0, true);
      view().setUint32(size, 0, true);
      return 0;
    },
    environ_get: () => 0,
    random_get: () => 0,
    clock_time_get(clock, precision, time) {
      view().setBigUint64(time, 0n, true);
      return 0;
    },
    fd_write(file, pieces, count, written) {
      let total = 0;
      for (let k = 0; k < count; k++) {
        const start = view().getUint32(pieces + 8 * k, true);
        const size = view().getUint32(pieces + 8 * k + 4, true);
        messages.push(new TextDecoder().decode(new Uint8Array(memory().buffer, start, size)));
        total += size;
      }
      view().setUint32(written, total, true);
      return 0;
    },
    proc_exit(code) { throw new Error(`Graphviz ended with ${code}`); },
  };
  return new Proxy(calls, { get: (known, name) => known[name] ?? (() => BAD_DESCRIPTOR) });
}

async function startEngine() {
  const packed = Uint8Array.from(atob(byId("engine").textContent.trim()), (c) => c.charCodeAt(0));
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const module = await WebAssembly.compile(await new Response(unpacked).arrayBuffer());
  return (text) => {
    const messages = [];
    let made = null;
    const calls = systemCalls(() => made.memory, messages);
    const imports = Object.fromEntries(
      WebAssembly.Module.imports(module).map(({ name }) => [name, calls[name]]));
    made = new WebAssembly.Instance(module, { wasi_snapshot_preview1: imports }).exports;
    const put = (words) => {
      const bytes = new TextEncoder().encode(`${words}\0`);
      const start = made.malloc(bytes.length);
      new Uint8Array(made.memory.buffer, start).set(bytes);
      return start;
    };
    const size = made.malloc(4);
    const result = made.graphviz_render(put(text), put("json0"), put("dot"), size);
    if (result === 0) throw new Error(messages.join("") || "Graphviz found no layout");
    const length = new DataView(made.memory.buffer).getUint32(size, true);
    return JSON.parse(new TextDecoder().decode(new Uint8Array(made.memory.buffer, result, length)));
  };
}
