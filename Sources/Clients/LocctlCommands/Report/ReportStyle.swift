// SPDX-License-Identifier: Apache-2.0

/// How a report looks: light and dark, on narrow and wide screens, and on paper. Colours repeat what words and shapes say.
enum ReportStyle {
    static let text: StaticString = """
        :root{color-scheme:light dark;--paper:#f4f5f7;--card:#fff;--ink:#1b2430;--dim:#5b6675;--line:#dde2e8;--way:#0b62c4;\
        --stay:#b4490a;--sky:#0f7b63;--app:#6b4fc0;--ground:#eef1f4;--casing:#fff}
        @media (prefers-color-scheme:dark){:root{--paper:#11161d;--card:#1a212b;--ink:#e8ecf1;--dim:#9aa6b5;--line:#313b48;\
        --way:#6db3ff;--stay:#ff9d5c;--sky:#4fd0b0;--app:#b39dff;--ground:#141b24;--casing:#10161d}}
        *{box-sizing:border-box}
        body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.45 system-ui,sans-serif}
        main{max-width:1080px;margin:0 auto;padding:28px 20px 48px}
        h1{font-size:1.9rem;line-height:1.15;margin:0;letter-spacing:-.01em}
        h2{font-size:1.1rem;margin:0 0 12px}
        header p,.note{color:var(--dim);margin:4px 0 0}
        section{background:var(--card);border:1px solid var(--line);border-radius:14px;padding:18px;margin-top:18px;break-inside:avoid}
        .tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(146px,1fr));gap:12px;padding:0;margin:20px 0 0}
        .tiles div{background:var(--card);border:1px solid var(--line);border-radius:14px;padding:12px 14px}
        .tiles dt{color:var(--dim);font-size:.82rem}
        .tiles dd{margin:2px 0 0;white-space:nowrap;font-size:1.3rem;font-weight:650;font-variant-numeric:tabular-nums}
        svg{display:block;width:100%}
        .map{height:auto;font-size:13px}
        .map text{fill:var(--ink)}
        .map .label,.map .region-name,.map .stay-number{paint-order:stroke;stroke:var(--ground);stroke-width:4px;stroke-linejoin:round}
        .ground{fill:var(--ground)}
        .grid{fill:none;stroke:var(--line);stroke-width:1}
        .region{fill:none;stroke:var(--app);stroke-width:2;stroke-dasharray:7 5}
        .map .region-name{fill:var(--app);font-weight:600}
        .accuracy{opacity:.2;fill:var(--way);stroke:var(--way);stroke-linecap:round}
        .accuracy circle{stroke:none}
        .gap,.way,.casing,.ruler{fill:none;stroke-linecap:round;stroke-linejoin:round}
        .gap{stroke:var(--dim);stroke-width:2;stroke-dasharray:1 7}
        .casing{stroke:var(--casing);stroke-width:6}
        .way{stroke:var(--way);stroke-width:3.5}
        .stay{fill:var(--stay);stroke:var(--casing);stroke-width:2}
        .map .stay-number{fill:var(--card);stroke:none;font-weight:700}
        .end{fill:var(--casing);stroke:var(--ink);stroke-width:3}
        .hour{fill:var(--casing);stroke:var(--way);stroke-width:2}
        .ruler{stroke:var(--ink);stroke-width:2}
        .north{fill:var(--ink)}
        .day{display:grid;grid-template-columns:170px minmax(0,1fr);gap:8px 14px;align-items:center}
        .day>.name{font-size:.86rem;color:var(--dim);overflow-wrap:anywhere}
        .strip{position:relative;height:26px;background:var(--ground);border-radius:6px;overflow:hidden}
        .strip svg,.chart svg{position:absolute;inset:0;height:100%}
        .strip b{position:absolute;top:0;line-height:26px;padding:0 5px;font-size:.8rem;color:var(--card);white-space:nowrap;\
        overflow:hidden;text-overflow:ellipsis}
        .strip i{position:absolute;top:0;line-height:13px;font-style:normal;font-size:.72rem;transform:translateX(-50%)}
        .strip .out{top:13px}
        .strip .stays{fill:var(--stay)}
        .strip .seen{fill:var(--way)}
        .strip .device{fill:var(--sky)}
        .strip .app{fill:var(--app)}
        .axis{position:relative;height:18px;color:var(--dim);font-size:.78rem;font-variant-numeric:tabular-nums}
        .axis span{position:absolute;transform:translateX(-50%)}
        .axis span:first-child{transform:none}
        .axis span:last-child{transform:translateX(-100%)}
        .chart{position:relative;height:150px;background:var(--ground);border-radius:6px;overflow:hidden}
        .chart .rule{stroke:var(--line);stroke-width:1;vector-effect:non-scaling-stroke}
        .chart .area{fill:var(--way);opacity:.18}
        .chart .curve{fill:none;stroke:var(--way);stroke-width:2;vector-effect:non-scaling-stroke;stroke-linejoin:round;stroke-linecap:round}
        .chart span{position:absolute;left:8px;font-size:.78rem;color:var(--dim);background:var(--ground);padding:0 3px;border-radius:3px}
        .scroll{overflow-x:auto}
        table{border-collapse:collapse;width:100%;font-size:.92rem;font-variant-numeric:tabular-nums}
        th,td{text-align:left;padding:7px 14px 7px 0;border-top:1px solid var(--line);vertical-align:top}
        thead th{border-top:0;color:var(--dim);font-weight:500;white-space:nowrap}
        td.number,th.number{text-align:right;white-space:nowrap}
        footer{color:var(--dim);font-size:.85rem;margin-top:22px}
        @media (max-width:640px){main{padding:18px 12px 32px}h1{font-size:1.5rem}section{padding:14px}.map{font-size:23px}\
        .map .stay-number{font-size:20px;transform:translateY(2px)}.map .stay{r:19px}.way{stroke-width:6}.casing{stroke-width:10}.axis .odd{display:none}.chart{height:120px}.day{grid-template-columns:minmax(0,1fr);gap:3px}\
        .strip,.chart{margin-bottom:8px}\
        table{font-size:.84rem}th,td{padding:6px 8px 6px 0}}
        @media print{:root{color-scheme:light;--paper:#fff;--card:#fff;--ink:#000;--dim:#444;--line:#bbb;--way:#0b4f9e;--stay:#8a3606;\
        --sky:#0a5c4a;--app:#4c3596;--ground:#f3f4f5;--casing:#fff}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}\
        body{font-size:12px}main{max-width:none;padding:0 1px}.scroll{overflow:visible}@page{margin:14mm}}

        """
}
