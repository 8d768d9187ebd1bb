//! Turns one skill into a page about it.
use crate::args::Show;
use crate::exit::{Exit, Failure};
use crate::ui::Ui;
pub(crate) fn run(args: &Show, _ui: &mut Ui) -> Result<Exit, Failure> {
    let _ = (&args.path, args.json);
    Ok(Exit::Ok)
}
