//! The two languages of the page and the three settings of its theme.

/// A language of the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Korean.
    Ko,
}

impl Lang {
    /// The value of an HTML `lang` attribute.
    pub fn code(self) -> &'static str {
        match self {
            Lang::En => "en",
            Lang::Ko => "ko",
        }
    }

    /// The language that a BCP 47 tag such as `ko-KR` asks for; English for any that the page does not speak.
    pub fn of(tag: &str) -> Lang {
        match tag.split(['-', '_']).next() {
            Some(primary) if primary.eq_ignore_ascii_case("ko") => Lang::Ko,
            _ => Lang::En,
        }
    }

    /// The language's name in itself.
    pub fn name(self) -> &'static str {
        match self {
            Lang::En => "English",
            Lang::Ko => "한국어",
        }
    }
}

/// Light, dark, or as the system is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the system is.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// The value of the `data-theme` attribute, none for the system's.
    pub fn code(self) -> Option<&'static str> {
        match self {
            Theme::System => None,
            Theme::Light => Some("light"),
            Theme::Dark => Some("dark"),
        }
    }

    /// The theme of a stored code.
    pub fn of(code: &str) -> Theme {
        match code {
            "light" => Theme::Light,
            "dark" => Theme::Dark,
            _ => Theme::System,
        }
    }

    /// What the switch goes to next.
    pub fn next(self) -> Theme {
        match self {
            Theme::System => Theme::Light,
            Theme::Light => Theme::Dark,
            Theme::Dark => Theme::System,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn language_tags() {
        assert_eq!(Lang::of("ko-KR"), Lang::Ko);
        assert_eq!(Lang::of("KO"), Lang::Ko);
        assert_eq!(Lang::of("kok"), Lang::En);
        assert_eq!(Lang::of(""), Lang::En);
    }
}
