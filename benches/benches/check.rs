//! Turns ten thousand skills on disk into one ratio: every rule on all of them, against reading them.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use benches::{folder, read_whole, shortest, skills};
use metier::{CheckOptions, FindOptions, Mode, ParseOptions, check_all, find};
use testing::Layout;

fn main() {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    for layout in [Layout::Flat, Layout::Nested] {
        let count = skills();
        let corpus = folder(count, layout);
        let root = [corpus.path()];
        let search = FindOptions { threads, ..FindOptions::default() };
        let options = CheckOptions {
            parse: ParseOptions { mode: Mode::Strict, ..ParseOptions::default() },
            ..CheckOptions::default()
        };
        let found = find(&root, &search);
        let times = shortest(
            15,
            &mut [
                ("reading", &mut || read_whole(&found.files, threads)),
                ("finding", &mut || find(&root, &search).files.len()),
                ("checking", &mut || check_all(&found, &options, threads, &|_| {}).len()),
                ("finding and checking", &mut || {
                    check_all(&find(&root, &search), &options, threads, &|_| {}).len()
                }),
            ],
        );
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        let each = |at: usize| times[at].as_secs_f64() * 1e6 / f64::from(count);
        // Reading alone is the floor of the goal. Our own search is no floor, so it is shown apart.
        let (read, found) = (each(0), each(0) + each(1));
        println!("{count} skills, {layout:?}, {threads} threads, microseconds a skill");
        println!("  reading every SKILL.md   {read:.1}");
        println!("  every rule               {:.1}, {:.2} times reading", each(2), each(2) / read);
        println!("  our search and reading   {found:.1}");
        println!("  search and every rule    {:.1}, {:.2} times that", each(3), each(3) / found);
    }
}
