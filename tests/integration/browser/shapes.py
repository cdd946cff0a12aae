# ruff: noqa: E501 - pages are written on long lines
"""Twenty kinds of pages as they are met on the web, each with a task that is finished by references alone.

A step is (action, pattern of the line whose reference is used, text); the task is done when the page says DONE.
"""

from __future__ import annotations

from dataclasses import dataclass

# What surrounds the matter on a page: a menu on a coloured bar and a footer (no picture, which would flatter us).
_HEAD = """<!doctype html><html lang=en><meta charset=utf-8><title>{title}</title><style>
body{{font:16px/1.5 system-ui,sans-serif;margin:0;color:#222}}header{{display:flex;gap:1em;padding:1em 2em;
background:linear-gradient(135deg,#0b486b,#f56217)}}header a{{color:#fff}}main{{padding:1em 2em}}
input,select,textarea,button{{font:inherit;padding:.3em;margin:.2em}}
table{{border-collapse:collapse}}td,th{{border:1px solid #ccc;padding:.2em .6em}}</style>
<header><a href="#home">Home</a><a href="#news">News</a><a href="#about">About us</a></header>
<script>
const done=()=>{{document.getElementById('out').textContent='DONE'}}</script><main>"""
_FOOT = "<p id=out role=status></p></main><footer><p>© 2026 Example</p></footer>"
Step = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Shape:
    name: str
    body: str
    steps: tuple[Step, ...]

    @property
    def page(self) -> str:
        return _HEAD.format(title=self.name) + self.body + _FOOT


_ROWS = "".join(
    f"<tr><td>Item {n}</td><td>{n * 3} EUR</td><td><button onclick='{'done()' if n == 37 else ''}'>Buy {n}</button></td></tr>"
    for n in range(60)
)
_CARDS = "".join(
    f"<article><h3>Card {n}</h3><p>Some words about thing {n}, and more words.</p><a href='#{n}' onclick='{'done()' if n == 9 else ''}'>Open {n}</a></article>"
    for n in range(24)
)
SHAPES = (
    Shape("Sign-in form", "<h1>Sign in</h1><form onsubmit='event.preventDefault();if(u.value==\"ada\"&&p.value==\"pw 1\")done()'>"
          "<label>User <input id=u></label><label>Password <input id=p type=password></label><button>Sign in</button></form>",
          (("type", "User", "ada"), ("type", "Password", "pw 1"), ("click", 'button "Sign in"', ""))),
    Shape("Long form", "<form onsubmit='event.preventDefault();if(c.value==\"Taiwan\"&&t.checked&&r2.checked)done()'>"
          + "".join(f"<label>Field {n} <input></label><br>" for n in range(20))
          + "<label>Country <select id=c><option>Japan<option>Taiwan</select></label><label><input type=checkbox id=t>Terms</label>"
          "<label><input type=radio name=r id=r1>Post</label><label><input type=radio name=r id=r2>Courier</label><button>Send</button></form>",
          (("select", "combobox", "Taiwan"), ("click", "checkbox", ""), ("click", "Courier", ""), ("click", 'button "Send"', ""))),
    Shape("Table of prices", f"<table><tr><th>Name<th>Price<th>Order</tr>{_ROWS}</table>", (("click", '"Buy 37"', ""),)),
    Shape("Single-page app", "<nav id=n></nav><div id=app></div><script>const go=v=>{app.innerHTML=v=='a'?'<h2>List</h2><button id=x>Details</button>'"
          ":'<h2>Details</h2><button id=y>Confirm</button>';const b=app.querySelector('button');b.onclick=()=>v=='a'?setTimeout(()=>go('b'),150):done()};go('a')</script>",
          (("click", "Details", ""), ("wait", "", "Confirm"), ("snapshot", "", ""), ("click", "Confirm", ""))),
    Shape("Frames", "<iframe title=Pay srcdoc=\"<button onclick='parent.done()'>Pay now</button>\"></iframe>", (("click", "Pay now", ""),)),
    Shape("Nested frames", "<iframe srcdoc=\"<p>outer</p><iframe srcdoc='<button onclick=&quot;top.done()&quot;>Deep</button>'></iframe>\"></iframe>",
          (("click", "Deep", ""),)),
    Shape("Shadow DOM", "<x-box></x-box><script>customElements.define('x-box',class extends HTMLElement{connectedCallback(){"
          "this.attachShadow({mode:'open'}).innerHTML='<button>In shadow</button>';this.shadowRoot.querySelector('button').onclick=done}})</script>",
          (("click", "In shadow", ""),)),
    Shape("Canvas with controls", "<canvas width=600 height=200 role=img aria-label='A chart of the tides'></canvas><button onclick=done()>Zoom in</button>",
          (("click", "Zoom in", ""),)),
    Shape("Ten thousand nodes", "<ul>" + "".join(f"<li>Row {n}</li>" for n in range(9_990)) + "</ul><button onclick=done()>At the end</button>",
          (("snapshot", "", "At the end"), ("click", "At the end", ""))),
    Shape("Confirm dialog", "<button onclick=\"confirm('Delete all?')&&done()\">Delete</button>", (("click", "Delete", ""), ("dialog", "", "accept"))),
    Shape("Prompt dialog", "<button onclick=\"prompt('Name?')=='Ada'&&done()\">Rename</button>", (("click", "Rename", ""), ("dialog", "", "accept: Ada"))),
    Shape("Modal dialog", "<button onclick=m.showModal()>Settings</button><dialog id=m><h2>Settings</h2><button onclick='m.close();done()'>Save</button></dialog>",
          (("click", "Settings", ""), ("click", "Save", ""))),
    Shape("Menu on hover", "<div style='cursor:pointer' onmouseenter=\"s.hidden=false\" role=button>Products<ul id=s hidden><li><a href=# onclick=done()>Lamps</a></ul></div>",
          (("hover", "Products", ""), ("click", "Lamps", ""))),
    Shape("Cards", f"<h1>Things</h1>{_CARDS}", (("click", "Open 9", ""),)),
    Shape("Clickable blocks", "<div style='cursor:pointer' onclick=done()>Choose this plan</div>", (("click", "Choose this plan", ""),)),
    Shape("Article", "<article><h1>On tides</h1>" + "".join(f"<p>Paragraph {n}: {'the moon draws the water along its way. ' * 8}</p>" for n in range(12))
          + "<a href=# onclick=done()>Next part</a></article>", (("click", "Next part", ""),)),
    Shape("Search with suggestions", "<input role=searchbox aria-label=Search oninput=\"l.innerHTML=this.value?`<li role=option style='cursor:pointer' onclick=done()>${this.value} lamp</li>`:''\">"
          "<ul id=l role=listbox></ul>", (("type", "searchbox", "desk"), ("click", "desk lamp", ""))),
    Shape("Rich editor", "<div contenteditable role=textbox aria-label=Note oninput=\"this.textContent.includes('你好')&&done()\"></div>", (("type", "textbox", "你好"),)),
    Shape("Tabs and an accordion", "<div role=tablist><button role=tab onclick=q.hidden=false>Questions</button></div><div id=q hidden><details><summary>How long?</summary>"
          "<button onclick=done()>Helpful</button></details></div>", (("click", "Questions", ""), ("click", "How long", ""), ("click", "Helpful", ""))),
    Shape("Slider and keys", "<label>Volume <input type=range min=0 max=10 value=8 oninput=\"this.value==10&&done()\"></label>",
          (("press", "slider", "ArrowRight"), ("press", "slider", "ArrowRight"))),
)  # fmt: skip
