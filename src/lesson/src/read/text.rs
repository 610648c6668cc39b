//! `en.md` and `ko.md`: a title, an introduction, and for each step a section `## Title {#step-id}` with its text,
//! a list of goals under `### … {#goals}` (each item begins with the goal's id as code) and hints under
//! `### … {#hint}`.

use super::markdown::{Section, plain, sections};
use crate::{LessonText, StepText};
use protocol::{Block, Inline};

/// Where a further heading's blocks go.
#[derive(PartialEq)]
enum Into {
    Body,
    Hint,
}

/// Reads a text.
pub(super) fn read(text: &str) -> Result<LessonText, String> {
    let mut lesson = LessonText::default();
    let mut into = Into::Body;
    for section in sections(text) {
        let title = match &section.heading {
            Some(Block::Heading { content, .. }) => plain(content),
            _ => String::new(),
        };
        match (section.level, section.anchor.as_str()) {
            (0, _) if section.body.is_empty() => {}
            (0, _) => return Err("a text begins with its title, `# …`".into()),
            (1, _) => (lesson.title, lesson.intro) = (title, section.body),
            (2, "") => return Err(format!("the step \"{title}\" has no id; write {{#id}} after its title")),
            (2, id) => {
                into = Into::Body;
                lesson.steps.push(StepText { id: id.into(), title, body: section.body, ..StepText::default() });
            }
            (3, "goals") => {
                let goals = goals(&section)?;
                step(&mut lesson, &title)?.goals = goals;
            }
            (3, "hint") => {
                into = Into::Hint;
                step(&mut lesson, &title)?.hints.push(section.body);
            }
            _ => {
                let blocks = section.heading.into_iter().chain(section.body);
                match lesson.steps.last_mut() {
                    None => lesson.intro.extend(blocks),
                    Some(step) if into == Into::Hint => {
                        if let Some(hint) = step.hints.last_mut() {
                            hint.extend(blocks);
                        }
                    }
                    Some(step) => step.body.extend(blocks),
                }
            }
        }
    }
    Ok(lesson)
}

fn step<'a>(lesson: &'a mut LessonText, title: &str) -> Result<&'a mut StepText, String> {
    lesson.steps.last_mut().ok_or_else(|| format!("\"{title}\" stands before the first step"))
}

fn goals(section: &Section) -> Result<Vec<(String, Vec<Inline>)>, String> {
    let [Block::List { items, .. }] = section.body.as_slice() else {
        return Err("below {#goals} stands one list and nothing else".into());
    };
    let mut goals = Vec::new();
    for item in items {
        let [Block::Paragraph(content)] = item.as_slice() else {
            return Err("a goal is one paragraph".into());
        };
        let [Inline::Code(id), rest @ ..] = content.as_slice() else {
            return Err("a goal begins with its id as `code`".into());
        };
        let mut rest = rest.to_vec();
        if let Some(Inline::Text(first)) = rest.first_mut() {
            *first = first.trim_start().to_string();
            if first.is_empty() {
                rest.remove(0);
            }
        }
        goals.push((id.clone(), rest));
    }
    Ok(goals)
}
