// Markdown to elements. Only createElement and text nodes are used, so whatever a model or a web page says stays text.
// Links open http, https and mailto only; pictures are shown only from this appliance.

import { t } from "/static/texts.js";

const LONG_QUERY = 120;
let topLevel = 1; // the highest heading of the text becomes h3: h1 is the page's, h2 the message's

/** Given Markdown, return a fragment. Never throws, whatever the text. */
export function render(text) {
  const fragment = document.createDocumentFragment();
  const levels = [...text.matchAll(/^ {0,3}(#{1,6})\s/gm)].map((found) => found[1].length);
  topLevel = Math.min(6, ...levels);
  blocks(text.replace(/\r\n?/g, "\n").split("\n"), fragment, 0);
  return fragment;
}

function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/;
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;
const QUOTE = /^ {0,3}>\s?/;
const TABLE_RULE = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;
const DEEPEST = 12;

function blocks(lines, parent, depth) {
  let at = 0;
  while (at < lines.length) {
    const line = lines[at];
    let found;
    if (!line.trim()) at += 1;
    else if ((found = line.match(FENCE))) at = fence(lines, at, found, parent);
    else if ((found = line.match(HEADING))) {
      const heading = make(`h${Math.min(6, Math.max(3, found[1].length - topLevel + 3))}`);
      inline(found[2], heading);
      parent.append(heading);
      at += 1;
    } else if (RULE.test(line)) {
      parent.append(make("hr"));
      at += 1;
    } else if (QUOTE.test(line) && depth < DEEPEST) at = quote(lines, at, parent, depth);
    else if (ITEM.test(line) && depth < DEEPEST) at = list(lines, at, parent, depth);
    else if (line.includes("|") && at + 1 < lines.length && lines[at + 1].includes("-") && TABLE_RULE.test(lines[at + 1])) {
      at = table(lines, at, parent);
    } else at = paragraph(lines, at, parent, depth);
  }
}

function fence(lines, at, found, parent) {
  const end = new RegExp(`^ {0,3}${found[1][0]}{${found[1].length},}\\s*$`);
  const body = [];
  let next = at + 1;
  while (next < lines.length && !end.test(lines[next])) body.push(lines[next++]);
  parent.append(code(body.join("\n"), found[2].trim().split(/\s/)[0]));
  return next + 1;
}

function code(text, language) {
  const box = make("div", "code");
  const head = make("div", "code-head");
  head.append(make("span", "", language.slice(0, 30)));
  const button = make("button", "link", t("copy"));
  button.type = "button";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch { // plain http on another host has no clipboard: select it for Ctrl-C
      getSelection().selectAllChildren(pre);
      return;
    }
    button.textContent = t("copied");
    setTimeout(() => { button.textContent = t("copy"); }, 1500);
  });
  head.append(button);
  const pre = make("pre");
  pre.tabIndex = 0;
  pre.append(make("code", "", text));
  box.append(head, pre);
  return box;
}

function quote(lines, at, parent, depth) {
  const body = [];
  let next = at;
  while (next < lines.length && QUOTE.test(lines[next])) body.push(lines[next++].replace(QUOTE, ""));
  const box = make("blockquote");
  blocks(body, box, depth + 1);
  parent.append(box);
  return next;
}

function list(lines, at, parent, depth) {
  const first = lines[at].match(ITEM);
  const ordered = /\d/.test(first[2]);
  const box = make(ordered ? "ol" : "ul");
  if (ordered && parseInt(first[2], 10) !== 1) box.start = parseInt(first[2], 10);
  const indent = first[1].length;
  let next = at;
  while (next < lines.length) {
    const found = lines[next].match(ITEM);
    if (!found || found[1].length > indent + 1 || found[1].length < indent || /\d/.test(found[2]) !== ordered) break;
    const width = found[0].length - found[3].length;
    const body = [found[3]];
    next += 1;
    while (next < lines.length) {
      const line = lines[next];
      const inner = line.match(/^\s*/)[0].length;
      if (!line.trim()) {
        if (next + 1 < lines.length && lines[next + 1].match(/^\s*/)[0].length > indent && lines[next + 1].trim()) body.push("");
        else break;
      } else if (inner > indent && (inner >= Math.min(width, indent + 2) || ITEM.test(line))) body.push(line.slice(Math.min(inner, width)));
      else if (!ITEM.test(line) && !HEADING.test(line) && !FENCE.test(line) && !QUOTE.test(line) && !RULE.test(line)) body.push(line.trim());
      else break;
      next += 1;
    }
    box.append(item(body, depth));
    let blank = next;
    while (blank < lines.length && !lines[blank].trim()) blank += 1;
    if (blank > next && blank < lines.length && ITEM.test(lines[blank]) && lines[blank].match(ITEM)[1].length === indent) next = blank;
  }
  parent.append(box);
  return next > at ? next : at + 1;
}

function item(body, depth) {
  const entry = make("li");
  const task = body[0].match(/^\[([ xX])\]\s+(.*)$/);
  if (task) {
    entry.className = "task";
    entry.append(make("span", "box", task[1] === " " ? "☐ " : "☑ "));
    body[0] = task[2];
  }
  blocks(body, entry, depth + 1);
  const only = entry.lastElementChild;
  if (only && only.tagName === "P" && entry.querySelectorAll(":scope > p").length === 1) only.replaceWith(...only.childNodes);
  else if (entry.firstElementChild?.tagName === "P") entry.firstElementChild.replaceWith(...entry.firstElementChild.childNodes);
  return entry;
}

function cells(line) {
  const trimmed = line.trim().replace(/^\|/, "").replace(/(?<!\\)\|$/, "");
  return trimmed.split(/(?<!\\)\|/).map((cell) => cell.trim().replace(/\\\|/g, "|"));
}

function table(lines, at, parent) {
  const aligns = cells(lines[at + 1]).map((cell) => (/^:.*:$/.test(cell) ? "center" : /:$/.test(cell) ? "right" : ""));
  const head = cells(lines[at]);
  const scroll = make("div", "table");
  scroll.tabIndex = 0;
  const grid = make("table");
  const row = (values, tag) => {
    const line = make("tr");
    head.forEach((_, index) => {
      const cell = make(tag, aligns[index] || "");
      inline(values[index] ?? "", cell);
      line.append(cell);
    });
    return line;
  };
  const top = make("thead");
  top.append(row(head, "th"));
  const body = make("tbody");
  let next = at + 2;
  while (next < lines.length && lines[next].trim() && lines[next].includes("|")) body.append(row(cells(lines[next++]), "td"));
  grid.append(top, body);
  scroll.append(grid);
  parent.append(scroll);
  return next;
}

function paragraph(lines, at, parent, depth) {
  const body = [lines[at]];
  let next = at + 1;
  while (next < lines.length) {
    const line = lines[next];
    if (!line.trim() || FENCE.test(line) || HEADING.test(line) || RULE.test(line)) break;
    if (depth < DEEPEST && (QUOTE.test(line) || (ITEM.test(line) && !/^\s*\d/.test(line)) || /^\s*1[.)]\s/.test(line))) break;
    body.push(line);
    next += 1;
  }
  const box = make("p");
  body.forEach((line, index) => {
    if (index) box.append(make("br"));
    inline(line.trim(), box);
  });
  parent.append(box);
  return next;
}

// One alternative a kind; the first that matches at a place wins.
const INLINE = new RegExp([
  "\\\\([\\\\`*_{}\\[\\]()#+\\-.!|~<>&])",                       // 1 escape
  "(`+)([^]*?[^`])\\2(?!`)",                                      // 2,3 code
  "!\\[([^\\]]*)\\]\\(\\s*([^\\s)]+)(?:\\s+\"[^\"]*\")?\\s*\\)",  // 4,5 picture
  "\\[((?:[^\\[\\]\\\\]|\\\\.)+)\\]\\(\\s*<?((?:[^\\s()<>]|\\([^\\s()]*\\))+)>?(?:\\s+\"[^\"]*\")?\\s*\\)", // 6,7 link
  "<((?:https?:\\/\\/|mailto:)[^\\s<>]+)>",                       // 8 <address>
  "(https?:\\/\\/[^\\s<>\"'`]+)",                                 // 9 bare address
  "\\*\\*\\*(?=\\S)([^]*?\\S)\\*\\*\\*",                          // 10 both
  "\\*\\*(?=\\S)([^]*?\\S)\\*\\*",                                // 11 strong
  "(?<![\\p{L}\\p{N}_])__(?=\\S)([^]*?\\S)__(?![\\p{L}\\p{N}_])", // 12 strong
  "(?<![A-Za-z0-9*])\\*(?=[^\\s*])([^*]*?[^\\s*])\\*(?!\\*)",      // 13 emphasis, but not in 2*3*4
  "(?<![\\p{L}\\p{N}_])_(?=[^\\s_])([^_]*?[^\\s_])_(?![\\p{L}\\p{N}_])", // 14 emphasis
  "~~(?=\\S)([^]*?\\S)~~",                                        // 15 struck
].join("|"), "gu");

function inline(text, parent, depth = 0) {
  let at = 0;
  for (const found of text.matchAll(INLINE)) {
    if (found.index < at) continue;
    if (found.index > at) parent.append(text.slice(at, found.index));
    at = found.index + piece(found, parent, depth);
  }
  if (at < text.length) parent.append(text.slice(at));
}

/** Append what one match stands for; return how many characters it took. */
function piece(found, parent, depth) {
  const wrap = (tag, body) => {
    const element = make(tag);
    if (depth < DEEPEST) inline(body, element, depth + 1);
    else element.textContent = body;
    parent.append(element);
  };
  if (found[1] !== undefined) parent.append(found[1]);
  else if (found[2] !== undefined) parent.append(make("code", "", found[3].replace(/^ (.*) $/, "$1")));
  else if (found[5] !== undefined) parent.append(picture(found[4], found[5]));
  else if (found[7] !== undefined) parent.append(...link(found[7], found[6].replace(/\\(.)/g, "$1")));
  else if (found[8] !== undefined) parent.append(...link(found[8], found[8]));
  else if (found[9] !== undefined) {
    let address = found[9].replace(/[.,:;!?。，、；：！？」』）】*_~]+$/u, "");
    while (address.endsWith(")") && count(address, ")") > count(address, "(")) address = address.slice(0, -1);
    parent.append(...link(address, address));
    return address.length;
  } else if (found[10] !== undefined) {
    const strong = make("strong");
    const em = make("em");
    inline(found[10], em, depth + 1);
    strong.append(em);
    parent.append(strong);
  } else if (found[11] !== undefined) wrap("strong", found[11]);
  else if (found[12] !== undefined) wrap("strong", found[12]);
  else if (found[13] !== undefined) wrap("em", found[13]);
  else if (found[14] !== undefined) wrap("em", found[14]);
  else if (found[15] !== undefined) wrap("s", found[15]);
  return found[0].length;
}

function count(text, wanted) {
  return text.split(wanted).length - 1;
}

function parse(address) {
  try {
    return new URL(address, location.origin);
  } catch {
    return null;
  }
}

/** A link with the host it leads to in sight; anything but http, https and mailto stays text. */
function link(address, label) {
  const url = parse(address);
  const known = url && ["http:", "https:", "mailto:"].includes(url.protocol);
  if (!known || !/^(https?:|mailto:|\/(?!\/))/i.test(address)) return [label === address ? label : `${label} (${address})`];
  const element = make("a", "", label);
  element.href = url.href;
  element.rel = "noopener noreferrer nofollow";
  element.target = "_blank";
  element.title = url.href;
  const parts = [element];
  if (url.host && url.origin !== location.origin && !label.includes(url.host)) parts.push(make("span", "host", ` (${url.host})`));
  if (url.search.length > LONG_QUERY) parts.push(make("span", "host", ` ⚠ ${t("link.long")}`));
  return parts;
}

function picture(alt, address) {
  const url = parse(address);
  if (url && url.origin === location.origin && /^\/api\/attachments\/\d{4}-\d{2}-\d{2}\/[^/]+$/.test(url.pathname)) {
    const image = make("img");
    image.src = url.pathname;
    image.alt = alt;
    image.loading = "lazy";
    return image;
  }
  const box = make("span", "elsewhere");
  box.append(...link(address, t("image.elsewhere", { alt: alt || address })));
  return box;
}
