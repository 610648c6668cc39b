//! Which texts go-yaml takes for a timestamp. The time itself is never needed: such a text stays a string, but a
//! string that looks like one is written in quotes.

/// What is left to read of a candidate.
struct Cursor<'a>(&'a [u8]);

impl Cursor<'_> {
    fn literal(&mut self, byte: u8) -> Option<()> {
        self.0 = self.0.strip_prefix(&[byte])?;
        Some(())
    }

    /// A number of one or two digits, or exactly two.
    fn number(&mut self, exactly_two: bool) -> Option<u32> {
        let digit = |b: Option<&u8>| b.filter(|b| b.is_ascii_digit()).map(|b| u32::from(b - b'0'));
        let first = digit(self.0.first())?;
        match digit(self.0.get(1)) {
            Some(second) => {
                self.0 = &self.0[2..];
                Some(first * 10 + second)
            }
            None if exactly_two => None,
            None => {
                self.0 = &self.0[1..];
                Some(first)
            }
        }
    }

    fn number_up_to(&mut self, most: u32) -> Option<u32> {
        self.number(false).filter(|n| *n <= most)
    }

    /// `h:m:s` with an optional fraction, which may follow a point or a comma.
    fn clock(&mut self) -> Option<()> {
        self.number_up_to(23)?;
        self.literal(b':')?;
        self.number_up_to(59)?;
        self.literal(b':')?;
        self.number_up_to(59)?;
        if matches!(self.0, [b'.' | b',', b'0'..=b'9', ..]) {
            let digits = self.0[1..].iter().take_while(|b| b.is_ascii_digit()).count();
            self.0 = &self.0[1 + digits..];
        }
        Some(())
    }

    /// `Z` or `±hh:mm`.
    fn zone(&mut self) -> Option<()> {
        if self.literal(b'Z').is_some() {
            return Some(());
        }
        if !matches!(self.0.first(), Some(b'+' | b'-')) {
            return None;
        }
        self.0 = &self.0[1..];
        self.number(true).filter(|n| *n <= 24)?;
        self.literal(b':')?;
        self.number(true).filter(|n| *n <= 60)?;
        Some(())
    }
}

/// Whether `text` is a date (`2001-2-3`), or a date and a time in one of the three forms Go's library reads.
pub(crate) fn is_timestamp(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 5 && bytes[..4].iter().all(u8::is_ascii_digit) && bytes[4] == b'-' && parse(bytes).is_some()
}

fn parse(bytes: &[u8]) -> Option<()> {
    let year = bytes[..4].iter().fold(0, |n, b| n * 10 + u32::from(b - b'0'));
    let mut rest = Cursor(&bytes[5..]);
    let month = rest.number(false)?;
    rest.literal(b'-')?;
    let day = rest.number(false)?;
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=days).contains(&day) {
        return None;
    }
    match rest.0.first() {
        None => return Some(()),
        Some(b'T' | b't') => {
            rest.0 = &rest.0[1..];
            rest.clock()?;
            rest.zone()?;
        }
        Some(b' ') => {
            while rest.literal(b' ').is_some() {}
            rest.clock()?;
        }
        Some(_) => return None,
    }
    rest.0.is_empty().then_some(())
}
