//! Templates that ask for more time, memory or stack than they may use. Each one stays within the counted budget.
//!
//! The program's own allocator also checks what the process really allocates.

use rlx_chat::{ChatError, ChatTemplate, Conversation, Json, TokenNames};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn grow(bytes: usize) {
    let live = LIVE.fetch_add(bytes, Ordering::Relaxed) + bytes;
    PEAK.fetch_max(live, Ordering::Relaxed);
}

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // SAFETY: the caller's promises are those that this call needs.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Both allocations may exist for a moment.
        grow(size);
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The maximum memory of the process for a template, whatever it does.
const MEMORY: usize = 64 << 20;
/// Enough for the deepest template in an unoptimized build.
const STACK: usize = 1 << 20;
/// How many constructs are nested or chained.
const MANY: usize = 20_000;

/// Templates with nested constructs, or with long chains of them.
fn deep() -> Vec<String> {
    let nested = [
        ["{{ ", "(", "1", ")", " }}"],
        ["{{ ", "[", "", "]", " }}"],
        ["{{ ", "{1:", "1", "}", " }}"],
        ["{{ 1", "|default(1", "", ")", " }}"],
        ["{{ messages", ".a(1", "", ")", " }}"],
        ["", "{% if 0 %}{% else %}", "", "{% endif %}", ""],
        ["", "{% if 1 %}", "", "{% endif %}", ""],
        ["", "{% for a in 'b' %}", "", "{% endfor %}", ""],
        ["", "{% for a in 'b' recursive %}", "", "{% endfor %}", ""],
        ["", "{% with %}", "", "{% endwith %}", ""],
        ["", "{% set a %}", "", "{% endset %}", ""],
        ["", "{% filter upper %}", "", "{% endfilter %}", ""],
        ["", "{% macro m() %}", "", "{% endmacro %}", ""],
        ["", "{% call m() %}", "", "{% endcall %}", ""],
        ["", "{% generation %}", "", "{% endgeneration %}", ""],
        ["", "{% autoescape false %}", "", "{% endautoescape %}", ""],
        ["{% set ", "(", "a", ")", " = 1 %}"],
        ["{% if 0 %}", "{% elif 0 %}", "", "", "{% endif %}"],
        ["{{ ", "not ", "1", "", " }}"],
        ["{{ 1 ", "- ", "1", "", " }}"],
        ["{{ ", "1 if 0 else ", "1", "", " }}"],
        ["{{ 1", " if 1", "", "", " }}"],
        ["{{ messages", ".a", "", "", " }}"],
        ["{{ messages", "[0]", "", "", " }}"],
        ["{{ messages", "[:]", "", "", " }}"],
        ["{{ messages", "()", "", "", " }}"],
        ["{{ 'a'", "|upper", "", "", " }}"],
        ["{{ 1", " is defined", "", "", " }}"],
        ["{{ ", "'a' ", "", "", "}}"],
        ["", "{#", "", "", ""],
        ["", "{%", "", "", ""],
        ["{% raw %}", "{% ", "", "", ""],
    ];
    let mut all: Vec<String> = nested
        .iter()
        .map(|[start, open, inside, close, end]| {
            format!("{start}{}{inside}{}{end}", open.repeat(MANY), close.repeat(MANY))
        })
        .collect();
    let operators = ["+", "-", "*", "/", "//", "%", "**", "~", "and", "or", "==", "<", "in", "not in"];
    all.extend(operators.iter().map(|op| format!("{{{{ 1{} }}}}", format!(" {op} 1").repeat(MANY))));
    all.extend([
        (0..MANY).map(|i| format!("{{% block b{i} %}}")).collect(),
        (0..MANY).map(|i| format!("{{% block b{i} %}}{{% endblock %}}")).collect(),
        format!("{{{{ {} }}}}", "9".repeat(100_000)),
        format!("{{{{ [{}] }}}}", "[],".repeat(200_000)),
        format!("{{{{ dict({}) }}}}", (0..MANY).map(|i| format!("p{i}=1,")).collect::<String>()),
        "{{a}}".repeat(200_000),
    ]);
    all
}

/// Values that double, contain each other, or are far larger than the template that makes them.
const VALUES: &[&str] = &[
    "{% set ns = namespace(x='xxxxxxxx') %}{% for i in range(60) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}{{ ns.x }}",
    "{% set ns = namespace(x='xxxxxxxx') %}{% for i in range(60) %}{% set ns.x = ns.x + ns.x %}{% endfor %}{{ ns.x }}",
    "{% set ns = namespace(x=[1]) %}{% for i in range(60) %}{% set ns.x = ns.x + ns.x %}{% endfor %}{{ ns.x }}",
    "{% set ns = namespace(x=[1]) %}{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x }}",
    "{% set ns = namespace(x=[1], y=[1]) %}{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% set ns.y = [ns.y, ns.y] %}{% endfor %}{{ ns.x == ns.y }}",
    "{% set ns = namespace(x=[1], y=[1]) %}{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% set ns.y = [ns.y, ns.y] %}{% endfor %}{{ ns.x < ns.y }}",
    "{% set ns = namespace(x=[1]) %}{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x|tojson }}",
    "{% set ns = namespace(x={'a': 1}) %}{% for i in range(60) %}{% set ns.x = {'a': ns.x, 'b': ns.x} %}{% endfor %}{{ ns.x }}",
    "{% set ns = namespace(x=(1,)) %}{% for i in range(60) %}{% set ns.x = (ns.x, ns.x) %}{% endfor %}{{ {ns.x: 1} }}",
    "{% set ns = namespace(x=[]) %}{% for i in range(100000) %}{% set ns.x = [ns.x] %}{% endfor %}",
    "{% set ns = namespace(x=0) %}{% for i in range(100000) %}{% set n2 = namespace(x=ns.x) %}{% set ns.x = n2 %}{% endfor %}{{ ns }}",
    "{% set ns = namespace() %}{% set ns.x = ns %}{{ ns }}",
    "{% set ns = namespace() %}{% set ns.x = [ns, ns] %}{{ ns }}",
    "{% set ns = namespace(x=0) %}{% for i in range(100000) %}{% set ns.x = cycler(ns.x) %}{% endfor %}",
    "{{ range(10**9)|list }}",
    "{{ range(10**30) }}",
    "{% set ns = namespace(x=[]) %}{% for i in range(1000) %}{% set ns.x = ns.x + [range(100000)|list] %}{% endfor %}",
    "{{ 'x' * 10**11 }}",
    "{{ [1] * 10**11 }}",
    "{{ 'x'|center(10**9) }}",
    "{{ 'x'.ljust(10**12) }}",
    "{{ 'x'.zfill(10**10) }}",
    "{{ ('a\n' * 10000)|indent(10**6) }}",
    "{{ range(100000)|join('x' * 1000) }}",
    "{{ ('a' * 100000).replace('a', 'b' * 1000) }}",
    "{{ ('a' * 100000)|replace('', 'b' * 1000) }}",
    "{{ ('\t' * 1000).expandtabs(10**9) }}",
    "{{ ('a' * 10000).translate({97: 'b' * 10000}) }}",
    "{{ '%999999999999d' % 1 }}",
    "{{ '%*d' % (10**12, 1) }}",
    "{{ '%.999999999f' % 1.5 }}",
    "{{ '%.999999999d' % 1 }}",
    "{{ '{:999999999999}'.format(1) }}",
    "{{ '{:.999999999f}'.format(1.5) }}",
    "{{ '{:0999999999,}'.format(1) }}",
    "{{ ('{0}' * 10000).format('x' * 10000) }}",
    "{{ ('%(a)s' * 10000) % {'a': 'x' * 10000} }}",
    "{{ 10**10**10 }}",
    "{{ 2**2**2**2**2**2**2**2**2 }}",
    "{% set ns = namespace(x=1) %}{% for i in range(1, 1000) %}{% set ns.x = ns.x * i %}{% endfor %}",
    "{{ [1]|tojson(indent=10**9) }}",
    "{{ range(100000)|list|tojson(separators=['x' * 10000, 'y']) }}",
    "{{ strftime_now('%c' * 1000000) }}",
    "{{ strftime_now('%999999999Y') }}",
    "{{ ('a ' * 100000)|wordwrap(1, wrapstring='x' * 10000) }}",
    "{{ range(5)|batch(10**12, 0)|list }}",
    "{{ range(5)|slice(10**12)|list }}",
    "{{ dict.fromkeys(range(100000), 'x' * 100000) }}",
    "{{ range(100000)|map('center', 10000)|list|length }}",
    "{{ raise_exception('x' * 10**12) }}",
    "{% for i in range(100000) %}{% macro m() %}{% endmacro %}{% set x = [i] * 100 %}{% endfor %}",
];

/// Templates that call themselves, or that repeat expensive operations.
const WORK: &[&str] = &[
    "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(40) }}",
    "{% macro m() %}{{ caller() }}{% endmacro %}{% macro k() %}{% call m() %}{{ k() }}{% endcall %}{% endmacro %}{{ k() }}",
    "{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}",
    "{% block b %}{{ self.b() }}{% endblock %}",
    "{% macro m(a=m()) %}{% endmacro %}{{ m() }}",
    "{% macro m() %}{% for a in 'b' if m() %}{% endfor %}{% endmacro %}{{ m() }}",
    "{% macro m() %}{% for a in 'b' %}{% filter upper %}{% set x %}{% with %}{{ [[[m()]]] }}{% endwith %}{% endset %}{% endfilter %}{% endfor %}{% endmacro %}{{ m() }}",
    "{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}",
    "{% for i in range(100000) %}{% set x = range(100000)|select('odd')|list %}{% endfor %}",
    "{% for i in range(100000) %}{% set x = range(100000)|list|sort %}{% endfor %}",
    "{% set x = ['a' * 100000 ~ 'b', 'a' * 100000 ~ 'c'] * 1000 %}{% for i in range(1000) %}{% set y = x|sort %}{% endfor %}",
    "{% set x = ['a' * 1000000] * 1000 %}{% for i in range(1000) %}{% set y = x|unique|list %}{% endfor %}",
    "{% set x = 'a' * 1000000 %}{% for i in range(100000) %}{% set y = 'b' in x %}{% endfor %}",
    "{% set x = range(100000)|list %}{% for i in range(100000) %}{% set y = 'b' in x %}{% endfor %}",
    "{% set x = 'a' * 1000000 %}{% set z = 'a' * 500000 ~ 'b' %}{% for i in range(100000) %}{% set y = x.find(z) %}{% endfor %}",
    "{% set x = 'a' * 1000000 %}{% set z = 'a' * 1000000 %}{% for i in range(100000) %}{% set y = x == z %}{% endfor %}",
    "{% set x = 'é' * 500000 %}{% for i in range(100000) %}{% set y = x[499999] %}{% endfor %}",
    "{% set x = 'é' * 500000 %}{% for i in range(100000) %}{% set y = x|length %}{% endfor %}",
    "{% set x = 'é' * 500000 %}{% for i in range(100000) %}{% set y = x.upper() %}{% endfor %}",
    "{% set x = 'é' * 500000 %}{% for i in range(100000) %}{% set y = x.isalpha() %}{% endfor %}",
    "{% set x = ['\u{200b}' * 300000] %}{% for i in range(100000) %}{% set y = x|string %}{% endfor %}",
    "{% set x = 'a' * 100000 %}{% for i in range(100000) %}{% set y = x.replace('a', 'b') %}{% endfor %}",
    "{% set x = 'a ' * 100000 %}{% for i in range(100000) %}{% set y = x.split() %}{% endfor %}",
    "{% for i in range(1000) %}{% set y = ('a' * 500000).strip('b' * 500000 ~ 'a') %}{% endfor %}",
    "{% for i in range(100000) %}{% set y = messages|tojson %}{% endfor %}",
    "{% set x = dict(range(10000)|batch(2)) %}{% for i in range(10000) %}{% set y = x|tojson(sort_keys=true) %}{% endfor %}",
    "{% set x = dict(range(10000)|batch(2)) %}{% set z = dict(range(10000)|batch(2)) %}{% for i in range(10000) %}{% set y = x == z %}{% endfor %}",
    "{% for i in range(100000) %}{{ strftime_now('%c%c%c%c%c%c%c%c') }}{% endfor %}",
    "{% for i in range(100000) %}{% set x = 1e300|round(-200) %}{% endfor %}",
    "{% for c in range(100000) if 1 %}{% for d in range(100000) %}{{ loop.revindex }}{% endfor %}{% endfor %}",
    "{% set ns = namespace(x='') %}{% for i in range(100000) %}{% set ns.x = ns.x ~ 'abcdefghijklmnop' %}{% endfor %}",
    "{% for i in range(100000) %}{% set x = 'x'|center(10**6) %}{% endfor %}",
    "{% for i in range(100000) %}{% set x = ('a-' * 1000)|wordwrap(3) %}{% endfor %}",
];

fn conversation() -> Conversation {
    let messages = Json::parse(r#"[{"role": "user", "content": "hi"}]"#).unwrap();
    Conversation { messages: messages.as_list().unwrap().to_vec(), now: Some(0), ..Conversation::default() }
}

/// Runs on a small stack.
fn on_small_stack(run: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run).unwrap();
        thread.join().unwrap();
    });
}

/// Renders a template, and checks what it used.
fn attack(template: &str) -> Result<String, ChatError> {
    let conversation = conversation();
    let limits = ChatTemplate::limits(&conversation);
    let shown: String = template.chars().take(100).collect();
    let before = LIVE.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let result = ChatTemplate::new(template, TokenNames::default()).and_then(|template| {
        let (result, usage) = template.measure(&conversation);
        assert!(usage.memory <= limits.memory, "{shown}: {} bytes are counted", usage.memory);
        assert!(usage.work <= limits.work, "{shown}: {} steps", usage.work);
        result
    });
    let peak = PEAK.load(Ordering::Relaxed) - before;
    assert!(peak <= MEMORY, "{shown}: {peak} bytes at the peak");
    result
}

/// A single test, since the counts are those of the process.
#[test]
fn hostile_templates_end_within_their_budget() {
    on_small_stack(|| {
        for template in deep() {
            // Some templates render: a long chain is not deep.
            match attack(&template) {
                Ok(_) | Err(ChatError::Syntax(_) | ChatError::Render(_) | ChatError::TooMuch) => {}
                Err(other) => panic!("{other}"),
            }
        }
        for template in VALUES.iter().chain(WORK) {
            let error = attack(template).map(|text| text.len()).unwrap_err();
            assert!(matches!(error, ChatError::TooMuch | ChatError::Render(_)), "{template}: {error}");
        }
        let shown =
            attack("{% set ns = namespace() %}{% set ns.x = [ns] %}{{ ns.x == ns.x }}{{ ns.x|length }}");
        assert_eq!(shown.unwrap(), "True1");
        // No memory stays allocated, in cycles or otherwise.
        let before = LIVE.load(Ordering::Relaxed);
        for template in VALUES.iter().chain(WORK) {
            if template.contains("namespace") {
                drop(attack(template));
            }
        }
        let left = LIVE.load(Ordering::Relaxed).saturating_sub(before);
        assert!(left < 4096, "{left} bytes are left");
    });
}
