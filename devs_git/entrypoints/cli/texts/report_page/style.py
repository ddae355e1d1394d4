"""The style of the page: for a screen, light or dark as the reader's system is, and for paper."""

from __future__ import annotations

from typing import Final

STYLE: Final = """
:root{color-scheme:light dark;--ink:#1f2328;--dim:#59636e;--paper:#fff;--soft:#f6f8fa;--line:#d1d9e0;--good:#116329;--bad:#b3121d;
--warn:#7d4e00;--add:#dafbe1;--del:#ffebe9;--l0:#0550ae;--l1:#8250df;--l2:#116329;--l3:#953800;--l4:#a40e6b;--l5:#1b7c83}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--dim:#9da7b1;--paper:#0d1117;--soft:#161b22;--line:#3d444d;--good:#4ac26b;
--bad:#ff7b72;--warn:#e3b341;--add:#12381f;--del:#4a1d1f;--l0:#79c0ff;--l1:#d2a8ff;--l2:#56d364;--l3:#ffa657;--l4:#ff9bce;--l5:#5cd6dd}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:72rem;padding:1rem 1.5rem 4rem;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
h1{font-size:1.7rem;margin:.5rem 0}h2{margin:2.5rem 0 .5rem;border-bottom:1px solid var(--line)}h3{font-size:1.1rem;margin:0}
a{color:var(--l0)}code,pre,.said{font-family:ui-monospace,monospace;font-size:.85em}code{overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin:.5rem 0}dt{color:var(--dim)}dd{margin:0;overflow-wrap:anywhere}
.verdict{border-left:.4rem solid;padding:.6rem 1rem;background:var(--soft);font-size:1.1rem}
.good{color:var(--good)}.bad{color:var(--bad)}.warn{color:var(--warn)}.dim{color:var(--dim)}
article{border:1px solid var(--line);border-radius:.5rem;padding:.8rem 1rem;margin:.8rem 0}
article,tr,li{break-inside:avoid}
.status{font-size:.85rem;border:1px solid;border-radius:1rem;padding:0 .6rem;margin-left:.5rem;white-space:nowrap}
.said{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--soft);padding:.5rem .8rem;margin:.4rem 0}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.9rem}caption{text-align:left;color:var(--dim)}
th,td{text-align:left;vertical-align:top;padding:.15rem .6rem .15rem 0;border-bottom:1px solid var(--line);font-weight:400;overflow-wrap:anywhere}
thead th{font-weight:600}
summary{cursor:pointer;color:var(--l0)}
pre{overflow-x:auto;background:var(--soft);padding:.6rem;line-height:1.35;margin:.4rem 0;unicode-bidi:plaintext}
ins,del{text-decoration:none;display:inline-block;min-width:100%}ins{background:var(--add)}del{background:var(--del)}
.time{display:grid;grid-template-columns:max-content minmax(0,1fr);overflow-x:auto}
.time ol{list-style:none;margin:0;padding:0}.time li{height:24px;line-height:24px;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
.lanes{list-style:none;padding:0;margin:.3rem 0;display:flex;flex-wrap:wrap;gap:.2rem 1.2rem}
svg{display:block}svg path,svg circle{stroke:currentColor;stroke-width:2;fill:currentColor}svg .o{fill:var(--paper)}svg .b{fill:none;stroke-dasharray:4 3;stroke-width:1.5}
.undone{color:var(--dim);text-decoration:line-through}
.c0{color:var(--l0)}.c1{color:var(--l1)}.c2{color:var(--l2)}.c3{color:var(--l3)}.c4{color:var(--l4)}.c5{color:var(--l5)}
@media print{body{max-width:none;padding:0;font-size:10pt}a{color:inherit;text-decoration:none}pre{white-space:pre-wrap;overflow-wrap:anywhere}
.time{overflow:visible}.verdict,.status,ins,del,svg{print-color-adjust:exact}}
""".strip()
