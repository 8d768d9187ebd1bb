//! Turns text into the cells of a table: one line, as wide as its column.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// The words of a text with one blank between them.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text, filled up with blanks to `width` columns.
pub(crate) fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}

/// At most `width` columns of a text, with a mark where it was cut.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut used = 1;
    let kept = text.chars().take_while(|c| {
        used += c.width().unwrap_or_default();
        used <= width
    });
    kept.chain(['…']).collect()
}

/// How much of `whole` a part is, as a bar of `width` columns.
pub(crate) fn bar(part: f64, whole: f64, width: usize) -> String {
    const EIGHTHS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
    let share = if whole > 0.0 { (part / whole).clamp(0.0, 1.0) } else { 0.0 };
    let mut bar = String::new();
    for column in 0..width {
        let filled = share * f64::from(width as u32) - f64::from(column as u32);
        bar.push(match filled {
            filled if filled >= 1.0 => '█',
            filled => EIGHTHS
                .iter()
                .rev()
                .zip([7, 6, 5, 4, 3, 2, 1])
                .find(|(_, eighths)| filled * 8.0 >= f64::from(*eighths))
                .map_or(' ', |(c, _)| *c),
        });
    }
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_at_the_column() {
        assert_eq!(cut("short", 5), "short");
        assert_eq!(cut("longer", 5), "long…");
        assert_eq!(cut("技能技能", 6), "技能…");
    }

    #[test]
    fn bars_are_as_long_as_the_share() {
        assert_eq!(bar(1.0, 1.0, 4), "████");
        assert_eq!(bar(0.5, 1.0, 4), "██  ");
        assert_eq!(bar(0.6, 1.0, 4), "██▍ ");
        assert_eq!(bar(3.0, 4.0, 2), "█▌");
        for (part, whole) in [(0.0, 1.0), (-1.0, 1.0), (1.0, 0.0), (f64::NAN, 1.0)] {
            assert_eq!(bar(part, whole, 3), "   ");
        }
        assert_eq!(bar(9.0, 1.0, 2), "██");
    }
}
