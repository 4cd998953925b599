"use strict";
// The page around the viewer: it starts the program, passes on what happens, and does what the program asks for. `src/page.rs`
// and `src/exports.rs` are the other side.
(() => {
const canvas = document.getElementById("canvas");
const note = document.getElementById("note");
const element = id => document.getElementById(id);

// A sentence in the place of the picture.
function tell_fault(text) {
    canvas.classList.remove("runs");
    note.textContent = text;
    note.hidden = false;
    running = false;
}

let running = false;
let program, gl;
const decoder = new TextDecoder(), encoder = new TextEncoder();
const bytes_at = (at, length) => new Uint8Array(program.memory.buffer, at, length);
const text_at = (at, length) => decoder.decode(bytes_at(at, length));

// WebGL by the names of its functions. Objects are numbers for the program, 0 is none.
const objects = [null], free = [], names = new Map();
function number_of(object) {
    const number = free.pop() ?? objects.length;
    objects[number] = object;
    return number;
}
// Lists of arguments have 16 bytes each: kind, length, value (`src/gl_argument.rs`).
function argument_at(view, at) {
    const length = view.getUint32(at + 4, true), value = view.getFloat64(at + 8, true);
    switch (view.getUint32(at, true)) {
        case 0: return value;
        case 1: return value !== 0;
        case 2: return objects[value];
        case 3: return text_at(value, length);
        case 4: return bytes_at(value, length);
        default: return new Float32Array(program.memory.buffer, value, length);
    }
}
function call_gl(name_at, name_length, at, count) {
    let name = names.get(name_at);
    if (!name) names.set(name_at, name = text_at(name_at, name_length));
    const view = new DataView(program.memory.buffer), values = [];
    for (let k = 0; k < count; k++) values.push(argument_at(view, at + 16 * k));
    if (name === "link") return link(values[0]);
    const result = gl[name](...values);
    if (name.startsWith("delete")) {
        const number = view.getFloat64(at + 8, true);
        if (number) { objects[number] = null; free.push(number); }
    }
    if (result === null || result === undefined) return 0;
    return typeof result === "object" ? number_of(result) : Number(result);
}
// Links a program. Its shaders are no longer needed then.
function link(object) {
    gl.linkProgram(object);
    const shaders = gl.getAttachedShaders(object);
    const is_linked = gl.getProgramParameter(object, gl.LINK_STATUS);
    if (!is_linked) {
        console.error(gl.getProgramInfoLog(object), ...shaders.map(shader => gl.getShaderInfoLog(shader)));
    }
    shaders.forEach(shader => gl.deleteShader(shader));
    return Number(is_linked);
}

// What the program tells.
let answer = "", pictures = [];
const told = {
    fault: tell_fault,
    cursor: name => { canvas.style.cursor = name; },
    copy: text => { navigator.clipboard?.writeText(text).catch(() => {}); },
    link: address => { window.open(address, "_blank", "noopener"); },
    picture: name => { pictures.push(name); wake(); },
    save: (name, bytes) => save(name, new Blob([bytes])),
    choose: () => { chooser.click(); },
    fullscreen: () => {
        (document.fullscreenElement ? document.exitFullscreen() : canvas.requestFullscreen?.())?.catch(() => {});
    },
    answer: text => { answer = text; },
    trace: line => { window.parent.postMessage({ fabrik3d: line }, "*"); },
};
function tell(kind, kind_length, text, text_length, bytes, bytes_length) {
    told[text_at(kind, kind_length)]?.(text_at(text, text_length), bytes_at(bytes, bytes_length).slice());
}
function save(name, blob) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// What is passed to the program.
function pass(bytes) { bytes_at(program.room(bytes.length), bytes.length).set(bytes); }
function pass_text(text) { pass(encoder.encode(text)); }
function hold(name, bytes) {
    const start = encoder.encode(name), all = new Uint8Array(start.length + bytes.length);
    all.set(start);
    all.set(bytes, start.length);
    pass(all);
    program.hold(start.length);
}
const MOVED = 0, DOWN = 1, UP = 2, LEFT = 3, WHEEL = 4, PINCH = 5, KEY_DOWN = 6, KEY_UP = 7, RESIZED = 8, BLURRED = 9,
    PASTED = 10, HOVERED = 11, PLUGGED = 12, UNPLUGGED = 13, PUSHED = 14;
const modifiers = event => (event.shiftKey ? 1 : 0) | (event.ctrlKey || event.metaKey ? 2 : 0) | (event.altKey ? 4 : 0);
function send(kind, a = 0, b = 0, c = 0, text = "", held = 0) {
    if (!running) return false;
    pass_text(text);
    const is_used = program.event(kind, a, b, c, held);
    wake();
    return Boolean(is_used);
}

// Time: pictures are drawn when something moves, or when the program has asked for one.
const seconds = () => performance.now() / 1000;
let is_asked = false, timer = 0;
function wake() {
    if (running && !is_asked) { is_asked = true; requestAnimationFrame(draw); }
}
function draw() {
    is_asked = false;
    if (!running) return;
    clearTimeout(timer);
    const wait = program.frame(seconds());
    for (const name of pictures.splice(0)) canvas.toBlob(blob => blob && save(name, blob));
    if (wait === 0) wake();
    else if (wait > 0) timer = setTimeout(wake, 1000 * wait);
}

// Size: the canvas has a pixel for each pixel of the screen.
function size() {
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    [canvas.width, canvas.height] = [width, height].map(side => Math.max(1, Math.round(side * ratio)));
    return [width, height, ratio];
}

function listen() {
    new ResizeObserver(() => send(RESIZED, ...size())).observe(canvas);
    const place = event => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
    const BUTTONS = { 0: 0, 1: 1, 2: 2 };
    // Fingers on the canvas by their numbers. One is the left button; two turn into a pinch, until all are lifted.
    const fingers = new Map();
    let is_pinch = false, before = null;
    const pinch = () => {
        const [[x, y], [u, v]] = [...fingers.values()];
        return { middle: [(x + u) / 2, (y + v) / 2], apart: Math.max(1, Math.hypot(x - u, y - v)) };
    };
    canvas.addEventListener("pointerdown", event => {
        canvas.focus();
        canvas.setPointerCapture(event.pointerId);
        const at = place(event);
        if (event.pointerType === "touch") {
            fingers.set(event.pointerId, at);
            if (fingers.size > 1) {
                if (!is_pinch) send(UP, ...[...fingers.values()][0], 0);
                is_pinch = true;
                before = fingers.size === 2 ? pinch() : null;
                return;
            }
        }
        if (event.button in BUTTONS) send(DOWN, ...at, BUTTONS[event.button], "", modifiers(event));
    });
    canvas.addEventListener("pointermove", event => {
        const at = place(event);
        if (fingers.has(event.pointerId)) fingers.set(event.pointerId, at);
        if (is_pinch) {
            if (fingers.size !== 2 || !before) return;
            const now = pinch();
            send(PINCH, now.apart / before.apart, now.middle[0] - before.middle[0], now.middle[1] - before.middle[1]);
            before = now;
        } else {
            send(MOVED, ...at, 0, "", modifiers(event));
        }
    });
    const lifted = event => {
        const is_finger = fingers.delete(event.pointerId);
        if (!is_pinch && event.button in BUTTONS) send(UP, ...place(event), BUTTONS[event.button], "", modifiers(event));
        if (is_finger && fingers.size === 0) { is_pinch = false; send(LEFT); }
    };
    canvas.addEventListener("pointerup", lifted);
    canvas.addEventListener("pointercancel", lifted);
    canvas.addEventListener("pointerleave", event => { if (event.pointerType !== "touch") send(LEFT); });
    canvas.addEventListener("contextmenu", event => event.preventDefault());
    canvas.addEventListener("wheel", event => {
        event.preventDefault();
        // Browsers give pixels, lines or pages; a step of a wheel is about 100 pixels or 3 lines. A pinch on a touchpad is a wheel
        // with Ctrl.
        const steps = -event.deltaY / [100, 3, 1][event.deltaMode];
        send(WHEEL, steps, 0, 0, "", modifiers(event));
    }, { passive: false });
    window.addEventListener("keydown", event => {
        if (send(KEY_DOWN, Number(event.repeat), 0, 0, event.code + "\0" + event.key, modifiers(event))) event.preventDefault();
    });
    window.addEventListener("keyup", event => send(KEY_UP, 0, 0, 0, event.code + "\0" + event.key, modifiers(event)));
    window.addEventListener("blur", () => send(BLURRED));
    window.addEventListener("paste", event => send(PASTED, 0, 0, 0, event.clipboardData.getData("text/plain")));
    window.addEventListener("dragover", event => {
        event.preventDefault();
        const count = [...event.dataTransfer.items].filter(item => item.kind === "file").length;
        send(HOVERED, 0, 0, 0, count === 1 ? "the file" : `${count} files`);
    });
    window.addEventListener("dragleave", event => { if (!event.relatedTarget) send(HOVERED); });
    window.addEventListener("drop", event => {
        event.preventDefault();
        // All of them now: the event has them only while it is handled.
        const items = [...event.dataTransfer.items].filter(item => item.kind === "file");
        open_dropped(items.map(item => {
            const entry = item.webkitGetAsEntry?.();
            return entry?.isDirectory ? entry : item.getAsFile();
        }));
    });
    canvas.addEventListener("webglcontextlost", event => {
        event.preventDefault();
        tell_fault("The graphics driver gave up this picture. Reloading the page opens the scene again.");
    });
}

// Gamepads are asked before each picture, as long as there are any: browsers tell only when they come and go. Of those without the
// standard layout nobody knows what their numbers mean.
const pads = new Map();
let asks_pads = false;
function ask_pads() {
    for (const pad of navigator.getGamepads()) {
        const before = pad && pads.get(pad.index);
        if (!before) continue;
        [...pad.axes.slice(0, 4), ...pad.buttons.map(button => button.value)].forEach((value, at) => {
            if (value === (before[at] ?? 0)) return;
            before[at] = value;
            send(PUSHED, pad.index, value, Number(document.hasFocus()), String(at));
        });
    }
    asks_pads = pads.size > 0;
    if (asks_pads) requestAnimationFrame(ask_pads);
}
function listen_to_pads() {
    window.addEventListener("gamepadconnected", ({ gamepad }) => {
        if (gamepad.mapping !== "standard") return;
        send(PLUGGED, gamepad.index, 0, 0, gamepad.id);
        pads.set(gamepad.index, []);
        if (!asks_pads) requestAnimationFrame(ask_pads);
        asks_pads = true;
    });
    window.addEventListener("gamepaddisconnected", ({ gamepad }) => {
        if (pads.delete(gamepad.index)) send(UNPLUGGED, gamepad.index, 0, 0, gamepad.id);
    });
}

// Files that are dropped or chosen, also whole folders.
const chooser = document.createElement("input");
chooser.type = "file";
chooser.multiple = true;
chooser.addEventListener("change", () => { open_files([...chooser.files].map(file => [file.name, file])); chooser.value = ""; });
async function open_files(files) {
    for (const [name, file] of files) hold(name, new Uint8Array(await file.arrayBuffer()));
    pass_text(files.map(([name]) => name).join("\0"));
    program.dropped();
    wake();
}
async function open_dropped(things) {
    const files = [];
    const visit = async entry => {
        if (entry.isFile) {
            files.push([entry.fullPath.slice(1), await new Promise((done, fail) => entry.file(done, fail))]);
            return;
        }
        const reader = entry.createReader();
        for (let some; (some = await new Promise((done, fail) => reader.readEntries(done, fail))).length;) {
            for (const inner of some) await visit(inner);
        }
    };
    for (const thing of things) {
        if (thing instanceof File) files.push([thing.name, thing]);
        // Pages from the disk may not read folders in some browsers: what is missing then is named as missing.
        else await visit(thing).catch(() => files.push([thing.name, new Blob()]));
    }
    await open_files(files);
}

// Bytes in the page, in base64.
function bytes_of(text) {
    const letters = atob(text), bytes = new Uint8Array(letters.length);
    for (let k = 0; k < letters.length; k++) bytes[k] = letters.charCodeAt(k);
    return bytes;
}
async function instantiate() {
    const packed = new Blob([bytes_of(element("program").textContent)]);
    const unpacked = packed.stream().pipeThrough(new DecompressionStream("gzip"));
    const code = await new Response(unpacked).arrayBuffer();
    const module = await WebAssembly.compile(code), imports = { page: { gl: call_gl, tell } };
    // Libraries that know browsers ask for functions that nothing here calls.
    for (const { module: from, name } of WebAssembly.Module.imports(module)) {
        (imports[from] ??= {})[name] ??= () => { throw new Error(`${name} is not there`); };
    }
    return (await WebAssembly.instantiate(module, imports)).exports;
}
function renderer_name() {
    const names = gl.getExtension("WEBGL_debug_renderer_info");
    return String(gl.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
}
async function start() {
    if (!element("end")) {
        return tell_fault("This page is cut off: the file is not complete. Copy or download it again.");
    }
    gl = canvas.getContext("webgl2", { alpha: false, antialias: false, depth: false, powerPreference: "high-performance" });
    if (!gl) {
        return tell_fault("This browser shows no WebGL 2 here. A newer browser does, or this one with hardware acceleration "
            + "turned on in its settings.");
    }
    gl.getExtension("EXT_color_buffer_float") ?? gl.getExtension("EXT_color_buffer_half_float");
    try {
        program = await instantiate();
    } catch (error) {
        return tell_fault(`This page is damaged: the viewer in it cannot be read (${error.message}). Copy or download it again.`);
    }
    const scene = element("scene");
    let page = {}, held = {};
    try {
        ({ page = {}, files: held = {} } = scene ? JSON.parse(scene.textContent) : {});
        for (const [name, text] of Object.entries(held)) hold(name, bytes_of(text));
    } catch (error) {
        return tell_fault(`This page is damaged: the scene in it cannot be read (${error.message}). Copy or download it again.`);
    }
    const fine = { "#fine": true, "#fast": false }[location.hash] ?? null;
    pass_text(JSON.stringify({ page, renderer: renderer_name(), fine, framed: window.parent !== window }));
    if (!program.start(...size(), seconds())) return;
    running = true;
    canvas.classList.add("runs");
    note.hidden = true;
    listen();
    listen_to_pads();
    canvas.focus();
    wake();
}
// For tests and other scripts: the state of the viewer.
window.fabrik3d = {
    state: () => { program.ask(0); return JSON.parse(answer); },
    // The next picture, finished: reading a pixel waits for it.
    frame: () => { draw(); gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4)); },
};
document.addEventListener("DOMContentLoaded", () => start().catch(error => tell_fault(`The viewer stopped: ${error.message}`)));
})();
