/** The style of the fleet page beside that of the health page. */
export const fleetStyle: string = `main{display:block}main>section{margin-bottom:2.25rem}h1{font-size:clamp(2.4rem,8.5vw,5.5rem)}
h2 a{text-decoration-thickness:1px}.gone{--c:var(--soft);--b:var(--soft)}.facts a{color:inherit}
.rollout{display:flex;flex-wrap:wrap;align-items:center;gap:.25rem 1rem;margin-bottom:.4rem}
.rollout progress{appearance:none;border:0;flex:1 1 10rem;max-width:24rem;height:.7rem;background:var(--track);border-radius:1em;overflow:hidden}
progress::-webkit-progress-bar{background:var(--track)}progress::-webkit-progress-value{background:var(--blue)}progress::-moz-progress-bar{background:var(--blue)}
.builds{display:flex;flex-wrap:wrap;gap:.15rem 2rem;margin-bottom:.75rem;color:var(--soft)}.builds b{color:var(--ink);font-weight:600}
tbody th{width:34%}td.build{width:24%}details{margin-top:.6rem}summary{margin:0 0 .5rem;padding:.15rem 0;color:var(--ink)}
@media(max-width:45rem){td.build{width:auto}}.said li{margin-top:.2rem}.said code{color:var(--soft)}.said b{font-weight:600}`;
