//! Scripts with the exit codes and output that a POSIX shell gives.

use super::parse::parse;
use super::run::{Env, Machine};
use super::{Progress, Reach, World};
use base::{SortedMap, Time};

struct Nothing;

impl World for Nothing {
    fn reach(&self, host: &str, _port: Option<i64>) -> Reach {
        if host == "web" { Reach::Open("10.43.0.9".into()) } else { Reach::Unknown }
    }
}

fn run(script: &str) -> (i64, String, i64) {
    let mut env = Env::new(SortedMap::new(), "sh");
    env.small = true;
    let start = Time::from_secs(1_000);
    let mut machine = match parse(script) {
        Ok(node) => Machine::begin(node, env, start),
        Err(words) => Machine::refused(format!("sh: syntax error: {words}"), env, start),
    };
    let progress = machine.advance(Time::from_secs(1_000_000), &Nothing);
    let lines: Vec<String> = machine.take_lines().iter().map(|(_, line)| line.to_string()).collect();
    match progress {
        Progress::Exited { code, at } => (code, lines.join("|"), at - start),
        other => panic!("{script}: {other:?}"),
    }
}

#[test]
fn exit_codes_and_output() {
    for (script, code, output) in [
        ("echo migrate ok", 0, "migrate ok"),
        ("echo migrate failed; exit 1", 1, "migrate failed"),
        ("false; echo still 0", 0, "still 0"),
        ("set -e; false; echo never", 1, ""),
        ("set -e; false || true; if false; then :; fi; echo on", 0, "on"),
        ("nosuch", 127, "sh: nosuch: not found"),
        ("nosuch 2>/dev/null || echo other", 0, "other"),
        ("x=1; while [ $x -lt 4 ]; do echo $x; x=$((x+1)); done", 0, "1|2|3"),
        ("for i in a b 'c d'; do echo \"<$i>\"; done", 0, "<a>|<b>|<c d>"),
        ("for i in $(seq 1 3); do [ $i = 2 ] && continue; echo $i; done", 0, "1|3"),
        ("case abc in x*) echo x;; a?c) echo yes;; *) echo no;; esac", 0, "yes"),
        ("echo ${A:-none} ${#A}; A=word; echo ${A%d} ${A:+set}", 0, "none 0|wor set"),
        ("printf 'a\\nb\\n' | grep b | wc -l", 0, "1"),
        ("f() { echo in $1; return 3; }; f x; echo $?", 0, "in x|3"),
        ("! true; echo $?", 0, "1"),
        ("(exit 4); echo $?", 0, "4"),
        ("v=$(echo a; exit 2); echo $? $v", 0, "2 a"),
        ("echo a > /tmp/f; echo b >> /tmp/f; cat /tmp/f", 0, "a|b"),
        ("cat <<EOF\nhello $((1+2))\nEOF\necho end", 0, "hello 3|end"),
        ("if [ -z \"\" ] && test 3 -gt 2; then echo t; else echo f; fi", 0, "t"),
        ("nc -z db 5432 && echo up || echo down", 0, "nc: bad address 'db'|down"),
        ("until nc -z web 80; do sleep 1; done; echo ready", 0, "ready"),
        ("echo \"unterminated", 2, "sh: syntax error: unterminated quoted string"),
        ("exit 300", 44, ""),
        ("echo 'a  b' $UNSET \"$UNSET\" c", 0, "a  b  c"),
        ("if true; then echo x", 2, "sh: syntax error: unexpected end of file (expecting \"fi\")"),
    ] {
        let (got, out, _) = run(script);
        assert_eq!((got, out.as_str()), (code, output), "{script}");
    }
}

#[test]
fn sleeping_is_virtual() {
    assert_eq!(run("sleep 2; echo done; sleep 0.5").2, 2500);
    assert_eq!(run("for i in 1 2 3; do sleep 10; done").2, 30_000);
}

#[test]
fn bad_scripts_end() {
    for script in ["((((((((", "$(", "while", "${", "`", "a | | b", "case x in", "if", "echo $((", "\\", "<", "{"] {
        let _ = parse(script);
    }
    let deep = "(".repeat(10_000);
    assert!(parse(&deep).is_err());
    let deep = "$(".repeat(10_000);
    assert!(parse(&deep).is_err());
    let node = parse("while true; do :; done").expect("loop");
    let mut machine = Machine::begin(node, Env::new(SortedMap::new(), "sh"), Time::from_secs(0));
    assert_eq!(machine.advance(Time::from_secs(9), &Nothing), Progress::Forever);
}
