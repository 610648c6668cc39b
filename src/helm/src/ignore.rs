//! `.helmignore`: rules in order, the first decision wins. Unlike git, a negated rule that does *not* match ignores at
//! once, and one that does match only lets the next rule decide (Helm's `pkg/ignore`).

use crate::glob;

/// What a rule's pattern is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Subject {
    /// The whole path, relative to the chart.
    Path,
    /// The last component, at any depth.
    BaseName,
}

#[derive(Clone, Debug)]
struct Rule {
    pattern: String,
    negated: bool,
    dirs_only: bool,
    subject: Subject,
}

/// The rules of one chart.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    rules: Vec<Rule>,
}

impl Rules {
    /// Reads a `.helmignore`, without its byte order mark. The error is Helm's text.
    pub fn parse(text: &[u8]) -> Result<Rules, String> {
        let mut rules = Rules::default();
        for line in text.split(|&b| b == b'\n') {
            rules.add(&String::from_utf8_lossy(line))?;
        }
        Ok(rules)
    }

    /// Appends the rule that Helm always has: dot files directly in `templates/`.
    pub fn with_defaults(mut self) -> Rules {
        self.rules.push(Rule {
            pattern: "templates/.?*".to_string(),
            negated: false,
            dirs_only: false,
            subject: Subject::Path,
        });
        self
    }

    fn add(&mut self, line: &str) -> Result<(), String> {
        let mut rule = line.trim();
        if rule.is_empty() || rule.starts_with('#') {
            return Ok(());
        }
        if rule.contains("**") {
            return Err("double-star (**) syntax is not supported".to_string());
        }
        glob::matches(rule, "abc")?;
        let negated = rule.starts_with('!');
        rule = rule.strip_prefix('!').unwrap_or(rule);
        let dirs_only = rule.ends_with('/');
        rule = rule.strip_suffix('/').unwrap_or(rule);
        let anchored = rule.starts_with('/');
        let subject = if rule.contains('/') { Subject::Path } else { Subject::BaseName };
        // An anchored rule loses one slash each time it is asked (the matcher trims its own copy): in effect all of them
        // but only the first answer differs, and no path starts with a slash.
        let pattern = if anchored { rule.trim_start_matches('/') } else { rule };
        self.rules.push(Rule { pattern: pattern.to_string(), negated, dirs_only, subject });
        Ok(())
    }

    /// Whether the file or directory at `path` (relative to the chart root) is left out.
    pub fn ignores(&self, path: &str, is_dir: bool) -> bool {
        if matches!(path, "" | "." | "./") {
            return false;
        }
        for rule in &self.rules {
            let subject = match rule.subject {
                Subject::Path => path,
                Subject::BaseName => path.rsplit('/').next().unwrap_or(path),
            };
            let hit = glob::matches(&rule.pattern, subject) == Ok(true);
            if rule.negated {
                if (rule.dirs_only && !is_dir) || !hit {
                    return true;
                }
            } else if hit && (is_dir || !rule.dirs_only) {
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_decision_wins() {
        let rules = |text: &str| Rules::parse(text.as_bytes()).map(Rules::with_defaults).expect("valid");
        assert!(rules("*.txt").ignores("a/b.txt", false));
        assert!(rules("").ignores("templates/.hidden", false));
        assert!(!rules("").ignores("templates/sub/.hidden", false));
        assert!(rules("/a.txt").ignores("a.txt", false));
        assert!(!rules("/a.txt").ignores("b/a.txt", false));
        assert!(rules("docs/").ignores("docs", true));
        assert!(!rules("docs/").ignores("docs", false));
        assert!(rules("!*.yaml").ignores("README.md", false));
        assert!(!rules("!*.yaml").ignores("values.yaml", false));
        assert_eq!(Rules::parse(b"a**b").err().as_deref(), Some("double-star (**) syntax is not supported"));
        assert_eq!(Rules::parse(b"[").err().as_deref(), Some("syntax error in pattern"));
    }
}
