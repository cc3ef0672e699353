//! Crashes of an engine, recognized by Go's output.

use std::fmt;
use std::process::ExitStatus;

/// The exit status of an engine that recovered its own panic.
const CAUGHT: i32 = 11;

/// Prefixes of the runtime's functions: a panic passes through them and does not come from them.
const RUNTIME: [&str; 7] = ["runtime.", "runtime/", "panic", "reflect.", "sync.", "sync/", "internal/"];

/// Prefixes that are cut off the names of functions: the paths of the sources.
const HOMES: [&str; 3] =
    ["github.com/hashicorp/terraform/internal/", "github.com/opentofu/opentofu/internal/", "github.com/"];

/// A crash of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crash {
    /// The site: the function that panicked, and the innermost of the engine's own if that is another one, without parts that change from
    /// run to run.
    pub site: String,
    /// The message.
    pub message: String,
}

impl fmt::Display for Crash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "crashed at {}: {}", self.site, self.message)
    }
}

impl Crash {
    /// The crash of a process with this status and output, if it crashed.
    pub(super) fn of(status: ExitStatus, stderr: &str) -> Option<Crash> {
        let traced = Crash::of_trace(stderr);
        match (status.code(), traced) {
            (Some(0 | 1), _) => None,
            (_, Some(crash)) => Some(crash),
            (Some(CAUGHT), None) => Some(Crash { site: "unknown".into(), message: last_line(stderr) }),
            (Some(_), None) => None,
            // No exit code: a signal, for example from the kernel when memory runs out.
            (None, None) => Some(Crash { site: status.to_string(), message: last_line(stderr) }),
        }
    }

    /// Reads the first trace in a text: after the message of the Go runtime, or else after the message of an engine that prints the trace
    /// of a recovered panic itself.
    fn of_trace(stderr: &str) -> Option<Crash> {
        let panic_message = |line: &str| {
            let word = line.strip_prefix("panic: ").or_else(|| line.strip_prefix("fatal error: ").map(|_| line));
            word.map(str::to_owned)
        };
        let mut lines = stderr.lines();
        let message = match lines.by_ref().find_map(panic_message) {
            Some(message) => message,
            None => {
                let (before, trace) = recovered(stderr)?;
                lines = trace.lines();
                before.to_owned()
            }
        };
        let mut trace = lines.skip_while(|line| !line.starts_with("goroutine ")).peekable();
        trace.next()?;
        let frames: Vec<&str> = trace
            .take_while(|line| !line.is_empty())
            .filter(|line| !line.starts_with(['\t', ' ']) && !line.starts_with("created by "))
            .map(function)
            .collect();
        Some(Crash { site: site(&frames), message })
    }
}

/// The message that an engine prints before the trace of a panic that it recovered, and the text from that trace on. The message follows a
/// banner, and maybe a sentence about where to report it: it is the last line before the trace that is no decoration.
fn recovered(stderr: &str) -> Option<(&str, &str)> {
    let at = match stderr.find("\ngoroutine ") {
        Some(at) => at + 1,
        None => stderr.starts_with("goroutine ").then_some(0)?,
    };
    let (before, trace) = stderr.split_at(at);
    // A dump of every goroutine, as after a signal to stop, is no panic.
    trace.lines().take_while(|line| !line.is_empty()).any(|line| line.starts_with("panic(")).then_some(())?;
    let has_words = |line: &&str| line.chars().any(char::is_alphanumeric);
    Some((before.lines().rev().find(has_words).map_or("", str::trim), trace))
}

/// The site of a stack whose innermost function is the first.
fn site(frames: &[&str]) -> String {
    // The function that recovered a panic stands above it, with its own panic if it raised one.
    let raised = frames.iter().rposition(|frame| *frame == "panic").map_or(0, |index| index + 1);
    let mut own = frames[raised..].iter().filter(|frame| !RUNTIME.iter().any(|prefix| frame.starts_with(prefix)));
    let Some(innermost) = own.clone().next() else { return "unknown".to_owned() };
    let of_engine = own.find(|frame| HOMES[..2].iter().any(|home| frame.starts_with(home)));
    match of_engine {
        Some(engine) if engine != innermost => format!("{} < {}", short(innermost), short(engine)),
        _ => short(innermost).to_owned(),
    }
}

fn short(frame: &str) -> &str {
    HOMES.iter().find_map(|home| frame.strip_prefix(home)).unwrap_or(frame)
}

/// The name of the function in a line of a trace: all but the last pair of brackets, which holds addresses.
fn function(line: &str) -> &str {
    if !line.ends_with(')') {
        return line;
    }
    let mut open = 0usize;
    for (index, byte) in line.bytes().enumerate().rev() {
        match byte {
            b')' | b'}' => open += 1,
            b'(' | b'{' => open = open.saturating_sub(1),
            _ => {}
        }
        if open == 0 {
            return &line[..index];
        }
    }
    line
}

fn last_line(stderr: &str) -> String {
    stderr.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default().chars().take(300).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAUGHT_PANIC: &str = "
!!!!!!!!!!!!!!!!!!!!!!!!!!! TERRAFORM CRASH !!!!!!!!!!!!!!!!!!!!!!!!!!!!

Terraform crashed! This is always indicative of a bug within Terraform.

panic: value is null
goroutine 217 [running]:
runtime/debug.Stack()
\truntime/debug/stack.go:26 +0x5e
github.com/hashicorp/terraform/internal/logging.PanicHandler()
\tgithub.com/hashicorp/terraform/internal/logging/panic.go:58 +0x153
panic({0x30b1b40?, 0xc000d1ed50?})
\truntime/panic.go:785 +0x132
github.com/zclconf/go-cty/cty.Value.GetAttr({{{0x4b8e3d8?, 0xc000d2c1b0?}}, {0x0?, 0x0?}}, {0xc0005f2e40, 0x3})
\tgithub.com/zclconf/go-cty@v1.16.2/cty/value_ops.go:1021 +0x2d3
github.com/hashicorp/terraform/internal/configs/configschema.(*Object).ValueMarks(0xc000d2c150, {0x1})
\tgithub.com/hashicorp/terraform/internal/configs/configschema/marks.go:90 +0x1a5
created by github.com/hashicorp/terraform/internal/dag.(*Walker).Update in goroutine 12
\tgithub.com/hashicorp/terraform/internal/dag/walk.go:1 +0x1

";

    #[test]
    fn a_site_names_functions_without_changing_parts() {
        let crash = Crash::of_trace(CAUGHT_PANIC).expect("a crash");
        assert_eq!(crash.message, "value is null");
        assert_eq!(crash.site, "zclconf/go-cty/cty.Value.GetAttr < configs/configschema.(*Object).ValueMarks");
    }

    #[test]
    fn the_runtime_ends_a_process_without_the_engine() {
        let text = "runtime: goroutine stack exceeds 1000000000-byte limit\nfatal error: stack overflow\n\nruntime stack:\nruntime.throw({0x1, 0x2})\n\tx.go:1 +0x1\n\ngoroutine 9 [running]:\ngithub.com/opentofu/opentofu/internal/lang.f[...](...)\n\tx.go:1 +0x1\n";
        let crash = Crash::of_trace(text).expect("a crash");
        assert_eq!((crash.site.as_str(), crash.message.as_str()), ("lang.f[...]", "fatal error: stack overflow"));
    }

    #[test]
    fn the_message_of_a_recovered_panic_is_read_without_its_first_word() {
        let text = CAUGHT_PANIC.replace("panic: value", "value").replace("hashicorp/terraform", "opentofu/opentofu");
        let crash = Crash::of_trace(&text).expect("a crash");
        assert_eq!(crash.message, "value is null");
        assert_eq!(crash.site, "zclconf/go-cty/cty.Value.GetAttr < configs/configschema.(*Object).ValueMarks");
        assert_eq!(Crash::of_trace("SIGQUIT: quit\n\ngoroutine 1 [running]:\nmain.main()\n\tx.go:1 +0x1\n"), None);
    }

    #[test]
    #[cfg(unix)]
    fn an_exit_without_a_trace_is_identified_by_its_status() {
        use std::os::unix::process::ExitStatusExt as _;
        let code = |code: i32| ExitStatus::from_raw(code << 8);
        assert_eq!(Crash::of(code(0), CAUGHT_PANIC), None);
        assert_eq!(Crash::of(code(1), "panic: said a provider\ngoroutine 1\n"), None);
        assert_eq!(Crash::of(code(2), "Error: usage"), None);
        assert!(Crash::of(code(CAUGHT), CAUGHT_PANIC).is_some());
        assert_eq!(Crash::of(code(CAUGHT), "a\nb\n\n").expect("a crash").message, "b");
        assert!(Crash::of(ExitStatus::from_raw(9), "").expect("a crash").site.contains("signal"));
    }

    #[test]
    fn any_text_is_read_without_a_panic() {
        for text in [
            "panic: ",
            "panic: x\ngoroutine ",
            "panic: x\ngoroutine 1\n)\n()\n)(\n{)\n",
            "fatal error: é\ngoroutine\né)",
        ] {
            let _ = Crash::of_trace(text);
        }
        assert_eq!(function("a.(*b).c(0x1, {0x2, 0x3})"), "a.(*b).c");
    }
}
