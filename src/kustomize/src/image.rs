//! Images: entries of `images`, the short forms of `kustomize edit set image`, and what they do to an image's text.

use base::Json;
use std::rc::Rc;

/// One entry of `images`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Image {
    pub(crate) name: Rc<str>,
    pub(crate) new_name: Rc<str>,
    pub(crate) new_tag: Rc<str>,
    pub(crate) digest: Rc<str>,
}

impl Image {
    /// Reads an entry.
    pub(crate) fn read(entry: &Json) -> Image {
        let text = |key: &str| Rc::from(entry.text_at(&[key]));
        Image { name: text("name"), new_name: text("newName"), new_tag: text("newTag"), digest: text("digest") }
    }

    /// Reads `name=new:tag`, `name=new@digest`, `name:tag` or `name@digest`.
    pub(crate) fn parse(text: &str) -> Image {
        let (name, image) = match text.split_once('=') {
            Some((name, image)) => (Some(name), image),
            None => (None, text),
        };
        let (image, tag, digest) = split(image);
        match name {
            Some(name) => {
                Image { name: name.into(), new_name: image.into(), new_tag: tag.into(), digest: digest.into() }
            }
            None => Image { name: image.into(), new_name: "".into(), new_tag: tag.into(), digest: digest.into() },
        }
    }

    /// `kustomize edit set image` on an entry that is there: a tag and a digest exclude each other.
    pub(crate) fn edit(&mut self, with: Image) {
        if !with.new_name.is_empty() {
            self.new_name = with.new_name;
        }
        if !with.new_tag.is_empty() || !with.digest.is_empty() {
            (self.new_tag, self.digest) = (with.new_tag, with.digest);
        }
    }

    /// The image that takes the place of `image`; `None` when the entry is about another one.
    pub(crate) fn replace(&self, image: &str) -> Option<String> {
        let (name, tag, digest) = split(image);
        if *name != *self.name {
            return None;
        }
        let name = if self.new_name.is_empty() { name } else { &self.new_name };
        let (tag, digest) = match (&*self.new_tag, &*self.digest) {
            ("", "") => (tag, digest),
            (tag, digest) => (tag, digest),
        };
        let tag = if tag.is_empty() { String::new() } else { format!(":{tag}") };
        let digest = if digest.is_empty() { String::new() } else { format!("@{digest}") };
        Some(format!("{name}{tag}{digest}"))
    }
}

/// Name, tag and digest. A colon before the last slash belongs to a port.
fn split(image: &str) -> (&str, &str, &str) {
    let (rest, digest) = image.split_once('@').unwrap_or((image, ""));
    let slash = rest.rfind('/').map_or(0, |at| at + 1);
    match rest[slash..].find(':') {
        Some(at) => (&rest[..slash + at], &rest[slash + at + 1..], digest),
        None => (rest, "", digest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_forms() {
        let to = |entry: &str, image: &str| Image::parse(entry).replace(image);
        assert_eq!(to("nginx=nginx:1.28-alpine", "nginx:1.27-alpine").as_deref(), Some("nginx:1.28-alpine"));
        assert_eq!(to("nginx:2", "nginx").as_deref(), Some("nginx:2"));
        assert_eq!(to("nginx=r.example:5000/n:1", "nginx@sha256:a").as_deref(), Some("r.example:5000/n:1"));
        assert_eq!(to("nginx@sha256:a", "nginx:1.27").as_deref(), Some("nginx@sha256:a"));
        assert_eq!(to("nginx=x", "my/nginx:1"), None);
        assert_eq!(to("nginx=x", "nginx:1").as_deref(), Some("x:1"));
    }
}
