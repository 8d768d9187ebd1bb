//! Turns the ways in which people ask, in many tongues and with slips of the finger, into what must be found.

use metier_core::{Bm25, Matcher, SearchOptions, SkillIndex, SkillText};

/// A catalog as one person may have it.
const SKILLS: [(&str, &str); 36] = [
    (
        "pdf-forms",
        "Fills in PDF forms and extracts their fields. Use for tax forms and applications.",
    ),
    ("spreadsheet-editor", "Edits spreadsheets: formulas, pivot tables, formatting of xlsx files."),
    ("slide-decks", "Makes presentations from an outline and keeps to the corporate template."),
    ("chart-maker", "Draws bar charts, line charts and scatter plots from tables of numbers."),
    ("release-notes", "Writes release notes and a changelog from the commits since the last tag."),
    ("github-issues", "Opens, labels and triages issues on GitHub."),
    ("code-review", "Reviews a pull request for bugs, style and missing tests."),
    ("javascript-lint", "Configures linters for JavaScript projects and repairs what they report."),
    (
        "kubernetes-deploy",
        "Deploys services to a Kubernetes cluster with Helm charts and rolls them back.",
    ),
    ("postgres-tuning", "Finds slow queries in PostgreSQL and adds the indexes they lack."),
    ("terraform-modules", "Writes Terraform modules for networks, buckets and databases."),
    ("docker-images", "Builds small container images with multi-stage Dockerfiles."),
    ("incident-report", "Writes the post-mortem of an outage: timeline, causes, follow-ups."),
    ("log-analysis", "Searches server logs for error patterns and counts them by hour."),
    ("api-design", "Designs REST endpoints and writes their OpenAPI description."),
    ("unit-tests", "Writes unit tests with fixtures and mocks, and measures coverage."),
    ("python-packaging", "Prepares a Python package for upload: pyproject, wheels, version bumps."),
    ("rust-clippy", "Explains clippy lints of Rust and applies their suggestions."),
    (
        "meeting-minutes",
        "Turns the transcript of a meeting into minutes with decisions and action items.",
    ),
    ("email-drafts", "Drafts polite replies to customer emails in the tone of the company."),
    ("invoice-reader", "Reads invoices and receipts and books them in the ledger."),
    ("expense-report", "Collects travel expenses and fills in the reimbursement."),
    ("contract-review", "Checks contracts for unusual clauses about liability and termination."),
    ("job-postings", "Writes job postings and screens applications against them."),
    ("seo-audit", "Audits a website for search engines: titles, links, sitemaps, speed."),
    ("image-resize", "Resizes, crops and compresses photos for the web."),
    ("video-subtitles", "Transcribes videos and burns subtitles into them with ffmpeg."),
    (
        "translation",
        "Translates documentation between English and German and keeps the terminology.",
    ),
    ("dna-sequences", "Aligns DNA sequences and draws phylogenetic trees."),
    ("molecule-docking", "Docks small molecules into proteins and ranks the poses."),
    ("weather-station", "Reads the sensors of a weather station and stores temperature and rain."),
    ("travel-planner", "Plans trips with flights, hotels and a day by day itinerary."),
    ("recipe-scaler", "Scales recipes to more guests and writes the shopping list."),
    ("password-vault", "Rotates credentials in the vault and notifies their owners."),
    ("backup-restore", "Backs up databases every night and restores them to a point in time."),
    ("accessibility", "Checks pages for contrast, labels and keyboard traps."),
];

/// What their users say, and what they mean.
const REQUESTS: [(&str, &str); 24] = [
    ("fill in this tax form for me", "pdf-forms"),
    ("add a pivot table to the xlsx file", "spreadsheet-editor"),
    ("make a presentation from these notes", "slide-decks"),
    ("plot these numbers as a scatter chart", "chart-maker"),
    ("what changed since the last tag, as a changelog", "release-notes"),
    ("label the new issues on github", "github-issues"),
    ("review my pull request", "code-review"),
    ("set up a linter for my js project", "javascript-lint"),
    ("roll back the k8s deployment", "kubernetes-deploy"),
    ("why is this postgres query so slow", "postgres-tuning"),
    ("shrink our docker image", "docker-images"),
    ("write the post-mortem for last night's outage", "incident-report"),
    ("count the error patterns in the server logs", "log-analysis"),
    ("write unit tests with mocks for this class", "unit-tests"),
    ("upload my python package, bump the version first", "python-packaging"),
    ("summarise the decisions of this meeting transcript", "meeting-minutes"),
    ("draft a reply to this customer email", "email-drafts"),
    ("book this receipt in the ledger", "invoice-reader"),
    ("is the liability clause in this contract unusual", "contract-review"),
    ("crop and compress these pictures for our web site", "image-resize"),
    ("transcribe the video and add subtitles", "video-subtitles"),
    ("align these two dna sequences", "dna-sequences"),
    ("plan a trip to Lisbon with flights and a hotel", "travel-planner"),
    ("rotate the credentials in the vault", "password-vault"),
];

/// What has nothing to do with any of them.
const OFF_TOPIC: [&str; 60] = [
    "hello",
    "hi there, how are you today?",
    "good morning!",
    "thanks, that was perfect",
    "ok",
    "never mind",
    "go on",
    "you are wrong",
    "lol",
    "see you later",
    "can you repeat that?",
    "no, the other one",
    "are you a human?",
    "do you remember me?",
    "do you believe in God?",
    "what is your favourite colour?",
    "what is love?",
    "what is the meaning of life?",
    "I feel lonely tonight",
    "I am bored",
    "I can't sleep",
    "my back hurts when I sit",
    "my girlfriend broke up with me",
    "tell me a joke",
    "write me a poem about the sea",
    "sing me a lullaby",
    "tell me a bedtime story about a dragon",
    "let's play twenty questions",
    "flip a coin",
    "roll two dice",
    "who won the world cup in 1998?",
    "what is the capital of Mongolia?",
    "how tall is Mount Everest?",
    "how old is the universe?",
    "why is the sky blue?",
    "how far is the moon?",
    "who was Napoleon?",
    "who painted the Mona Lisa?",
    "who is the president of France?",
    "when did the Berlin wall fall?",
    "when is the next full moon?",
    "what is the fastest animal?",
    "how much does an elephant weigh?",
    "is a tomato a fruit?",
    "can dogs eat grapes?",
    "how long do I boil an egg?",
    "which wine goes with salmon?",
    "what should I have for dinner?",
    "is it safe to swim after eating?",
    "how do I tie a bow tie?",
    "how do I get a stain out of a shirt?",
    "how do I water an orchid?",
    "how do I remove a splinter?",
    "what should I name my cat?",
    "what's a good birthday present for my mother?",
    "recommend a good novel for the beach",
    "which film should I watch tonight?",
    "what does serendipity mean?",
    "how do you spell necessary?",
    "what is 17 times 23?",
];

fn catalog() -> SkillIndex {
    let skill =
        |&(id, description)| SkillText { id, name: id, description, ..SkillText::default() };
    SkillIndex::build(SKILLS.iter().map(skill))
}

fn first(matcher: &dyn Matcher, query: &str) -> Option<(String, f64)> {
    matcher.search(query, 1).first().map(|hit| (hit.id.to_string(), hit.score))
}

#[test]
fn requests_are_found_and_small_talk_is_not() {
    let index = catalog();
    let asked: Vec<f64> = REQUESTS
        .iter()
        .map(|(query, id)| {
            let (found, score) = first(&index, query).unwrap_or_default();
            assert_eq!(found, *id, "{query}");
            score
        })
        .collect();
    let off: Vec<f64> =
        OFF_TOPIC.iter().map(|query| first(&index, query).map_or(0.0, |hit| hit.1)).collect();
    let above = |scores: &[f64], least: f64| scores.iter().filter(|&&score| score >= least).count();
    assert!(above(&asked, 0.5) >= 22, "{asked:?}");
    assert!(above(&off, 0.5) <= 3, "{off:?}");
    assert!(above(&off, 0.3) <= 9, "{off:?}");
    let sure = SearchOptions { min_score: 0.5, ..SearchOptions::default() };
    assert!(index.search_with("what is the capital of Mongolia?", &sure).is_empty());
}

#[test]
fn a_slip_of_the_finger_is_forgiven() {
    let index = catalog();
    for (query, id) in [
        ("kuberntes", "kubernetes-deploy"),
        ("spreadhseet", "spreadsheet-editor"),
        ("invocie", "invoice-reader"),
        ("subtitels for my vidoe", "video-subtitles"),
        ("transalte the documentatoin", "translation"),
    ] {
        assert_eq!(first(&index, query).unwrap_or_default().0, id, "{query}");
    }
    // A word that is known is never taken for another.
    let skill = |id, description| SkillText { id, name: id, description, ..SkillText::default() };
    let index = SkillIndex::build([skill("a", "Trains models."), skill("b", "Drains moors.")]);
    assert_eq!(index.search("drains", 5).len(), 1);
}

#[test]
fn words_meet_that_are_written_as_one_or_as_two() {
    let index = catalog();
    for (query, id) in [
        ("spread sheet", "spreadsheet-editor"),
        ("java script", "javascript-lint"),
        ("time line of the out age", "incident-report"),
        ("weatherstation", "weather-station"),
        ("shoppinglist", "recipe-scaler"),
    ] {
        assert_eq!(first(&index, query).unwrap_or_default().0, id, "{query}");
    }
}

#[test]
fn what_people_say_for_the_same_is_found() {
    let index = catalog();
    for (query, id) in [
        ("js", "javascript-lint"),
        ("k8s", "kubernetes-deploy"),
        ("psql", "postgres-tuning"),
        ("nightly db backup", "backup-restore"),
        ("py", "python-packaging"),
        ("pictures", "image-resize"),
        ("vacation", "travel-planner"),
        ("a11y", "accessibility"),
    ] {
        assert_eq!(first(&index, query).unwrap_or_default().0, id, "{query}");
    }
    let why = index.explain("js", "javascript-lint").unwrap();
    assert_eq!(why.words[0].word, "javascript");
    assert_eq!(why.missing, ["js"]);
}

#[test]
fn words_of_every_request_are_not_rare_in_a_small_catalog() {
    let skill = |id, description| SkillText { id, name: id, description, ..SkillText::default() };
    let index = SkillIndex::build([
        skill("orbit", "Displays the current position of the space station."),
        skill("surf", "Reports waves at a beach."),
        skill("tides", "Tables of high water."),
        skill("maps", "Draws maps."),
    ]);
    let hits = index.search("what are the current waves?", 5);
    assert_eq!(&*hits[0].id, "surf");
}

/// Skills and requests in many tongues.
const TONGUES: [(&str, &str, &str); 14] = [
    ("会议纪要", "整理会议记录，生成会议纪要和待办事项。", "帮我整理一下昨天的会议"),
    ("発票処理", "請求書を読み取り、金額を確認します。", "この請求書の金額を確認して"),
    ("번역", "기술 문서를 한국어로 번역합니다.", "이 문서를 번역해 주세요"),
    ("отчёты", "Составляет отчёты о расходах и проверяет суммы.", "проверь отчеты о расходах"),
    ("rechnung", "Prüft Rechnungen und bucht Beträge.", "Rechnungen prufen und buchen"),
    ("straße", "Plant Straßen und Brücken.", "STRASSEN planen"),
    ("resume", "Rédige un résumé d'études et de décisions.", "un resume des decisions"),
    (
        "contraseña",
        "Cambia contraseñas y avisa a sus dueños.",
        "cambiar la contrasena: contraseñas",
    ),
    ("tłumacz", "Tłumaczy dokumenty na łódzki dialekt.", "tlumaczy dokumenty lodzki"),
    ("تقرير", "يكتب تقارير المبيعات الشهرية.", "اكتب تقارير المبيعات"),
    ("रिपोर्ट", "बिक्री की मासिक रिपोर्ट लिखता है।", "बिक्री की रिपोर्ट"),
    ("รายงาน", "เขียนรายงานการขายประจำเดือน", "ช่วยเขียนรายงานการขาย"),
    ("דוחות", "כותב דוחות מכירות חודשיים.", "דוחות מכירות"),
    ("αναφορές", "Γράφει αναφορές πωλήσεων.", "αναφορες πωλησεων"),
];

#[test]
fn every_tongue_finds_its_own_no_worse_than_raw_tokens() {
    let skill = |&(id, description, _): &(&'static str, &'static str, &str)| SkillText {
        id,
        name: id,
        description,
        ..SkillText::default()
    };
    let index = SkillIndex::build(TONGUES.iter().map(skill));
    let raw = Bm25::new(TONGUES.iter().map(skill));
    let found = |matcher: &dyn Matcher| {
        let is_found = |(id, _, query): &&(&str, &str, &str)| {
            first(matcher, query).is_some_and(|(found, _)| found == *id)
        };
        TONGUES.iter().filter(is_found).count()
    };
    for (id, _, query) in &TONGUES {
        assert_eq!(first(&index, query).unwrap_or_default().0, *id, "{query}");
    }
    assert!(found(&index) > found(&raw), "{} and {}", found(&index), found(&raw));
}

#[test]
fn german_compounds_are_cut_where_the_catalog_knows_the_parts() {
    let skill = |id, description| SkillText { id, name: id, description, ..SkillText::default() };
    let index = SkillIndex::build([
        skill("pruefung", "Prüfung der Rechnung."),
        skill("reise", "Planung der Reise."),
        skill("vertrag", "Entwurf des Vertrags."),
    ]);
    assert_eq!(first(&index, "Rechnungsprüfung").unwrap_or_default().0, "pruefung");
    assert_eq!(first(&index, "Reiseplanung").unwrap_or_default().0, "reise");
}
