//! Turns a stem into the stems that are said for the same thing.

use super::stem::Stem;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Words that stand for one another: short forms, the spellings of two countries, the forms of a word
/// that a stemmer does not bring together, and what people say for the same thing.
///
/// General English, and the short forms of people who write programs; nothing about any one skill. A
/// word may stand in several lines: it has the kin of each.
const KIN: &str = "
accessibility a11y
administrator admin
advertisement ad advert advertise
application app
argument arg
asynchronous async
authentication auth
bash sh
biography bio
bitcoin btc
calculate calc
certificate cert
communication comms
configuration config
coordinate coord
credential cred
cryptocurrency crypto
database db
demonstration demo
dependency dep
development dev
directory dir folder
document doc
docx doc
environment env
ethereum eth
evaluation eval
examination exam
excel xlsx xls
function func
github gh
html htm
identifier id
image img
implementation impl
information info
internationalization i18n
introduction intro
javascript js
jpeg jpg
kubernetes k8s kube kubectl
laboratory lab
language lang
library lib
localization l10n
macos mac osx
management mgmt
markdown md
mathematics math maths mathematical
maximum max
message msg
minimum min
mongodb mongo
number num
observability o11y
package pkg
parameter param
performance perf
photograph photo photography
picture pic
postgres postgresql psql
powerpoint pptx ppt
production prod
python py
reference ref
regex regexp
repository repo
ruby rb
specification spec specify
statistics stats
synchronize sync
technology tech
telephone phone
television tv
temperature temp
terraform tf
transaction tx txn
typescript ts
variable var
visualization viz
yaml yml
youtube yt

aeroplane airplane
aluminium aluminum
armour armor
artefact artifact
authorise authorize
behaviour behavior
catalogue catalog
categorise categorize category
centimetre centimeter
centre center
cheque check
colour color
customise customize
defence defense
dialogue dialog
encyclopaedia encyclopedia
favourite favorite
fibre fiber
finalise finalize
flavour flavor
grey gray
harbour harbor
honour honor
humour humor
initialise initialize
jewellery jewelry
judgement judgment
kilometre kilometer
labour labor
licence license
litre liter
localise localize
maximise maximize
metre meter
millimetre millimeter
minimise minimize
modernise modernize
neighbour neighbor
normalise normalize
offence offense
optimise optimize
organise organize
paediatric pediatric
personalise personalize
plough plow
practise practice
prioritise prioritize priority
programme program
recognise recognize
rumour rumor
serialise serialize
speciality specialty
standardise standardize
summarise summarize summary
synchronise synchronize
theatre theater
tokenise tokenize
tyre tire
utilise utilize
visualise visualize

absorption absorb
accuracy accurate
admission admit
advice advise
analysis analyze analytics analyst analyse
apply application
architecture architect
assumption assume
begin began begun
belief believe
break broke broken
bring brought
build built
buy bought
catch caught
cell cellular
certification certify certificate
chemistry chemical
child children
choice choose chose chosen
clarification clarify
classification classify
collision collide
commerce commercial
comparison compare
compliance comply compliant
consumption consume
conversion convert
creation create creator
criterion criteria
decision decide
delivery deliver
departure depart
description describe
destruction destroy
diagnosis diagnose diagnoses diagnostic
discovery discover
division divide
draw drew drawn
drive drove driven
eat ate eaten
economy economic
enter entry
expansion expand
explanation explain
explosion explode
extension extend
failure fail
fall fell fallen
feel felt
finance financial
find found
flight fly flew flown
foot feet
forget forgot forgotten
frequency frequent
gene genome genomic genetics
geography geographic
give gave given
growth grow grew grown
guidance guide
hide hid hidden
history historical historic
hold held
hypothesis hypotheses
identity identify identification
inclusion include
index indices
keep kept
know knew known
leaf leaves
legal law
life lives
loss lose lost
maintenance maintain
man men
matrix matrices
medicine medical medication
meet met
modification modify
molecule molecular
mouse mice
multiplication multiply
music musical musician
notification notify
nutrition nutrient
occurrence occur
omission omit
payment pay paid
perception perceive
permission permit
person people
pharmacy pharmaceutical
prescription prescribe
privacy private
pronunciation pronounce
proof prove proven
publication publish
qualification qualify
reception receive
recovery recover
registration register registry
repetition repeat
response respond
run ran
sale sell sold
science scientific scientist
see saw seen
seek sought
send sent
show shown
simplification simplify simple
sing sang sung
sleep slept
speech speak spoke spoken
spend spent
steal stole stolen
strategy strategic
submission submit
subscription subscribe
synthesis synthesize syntheses
take took taken
teach taught
tell told
therapy therapist therapeutic
throw threw thrown
tooth teeth
transcription transcribe transcript
transmission transmit
understand understood
verification verify
vertex vertices
wear wore worn
weight weigh
win won
woman women
write wrote written

advertisement marketing promotion campaign
analyze examine
answer reply respond
article post blog
audio voice sound
big large huge
book novel
bus train transit
buy purchase
calendar schedule
car vehicle automobile
chart graph plot diagram
cheap affordable inexpensive
choose select pick
city town
clothes clothing fashion outfit
combine merge
company business firm corporation
compare difference
computer pc laptop
compute calculate
container docker
contract agreement
convert transform
cost price fee
country nation
course class lesson tutorial
create generate produce
crypto cryptocurrency bitcoin blockchain
customer client
delete remove erase
diagram flowchart
diet nutrition
discount coupon deal
doctor physician
download fetch
edit modify change
email mail
employee staff
error bug defect
estimate approximate
exam quiz
exercise workout fitness
explain describe
fetch retrieve obtain
finish complete
fix repair
flight airline
forecast predict
forecast weather
gather collect
gift present
guide tutorial
health wellness
hotel accommodation lodging
house home property apartment
icon symbol
illness disease sickness
improve enhance optimize
inspect examine review audit
investment portfolio
job career employment
joke humor funny
kid child
latest recent newest
lawyer attorney
learn study
location place
logo brand
map navigation direction
medicine drug
meeting appointment
money cash
monitor watch track
movie film
near nearby
ocean sea
paper publication
password credential
photo picture image
poem poetry
popular trend
question ask query
quick fast rapid
quote citation
recipe cook dish
refactor restructure
rental rent lease
restaurant dining
resume cv
salary wage pay
search find lookup
show display
slide presentation deck powerpoint
small little tiny
song music
speed performance
split divide
spreadsheet excel
star constellation
start begin launch
stock share equity
story tale
student pupil
suggest recommend advice
talk speak conversation chat
task todo
teacher tutor instructor
text sms
transcript subtitle caption
trip travel vacation journey
university college
verify validate check
video clip
vulnerability exploit
website webpage site
write compose draft
";

/// The stems that are said for the same thing as a stem.
pub(crate) fn kin(stem: &str) -> &'static [String] {
    static KINDRED: LazyLock<HashMap<String, Vec<String>>> = LazyLock::new(|| {
        let stems = Stem::new();
        let mut kindred: HashMap<String, Vec<String>> = HashMap::new();
        for line in KIN.lines() {
            let line: Vec<_> = line.split_whitespace().map(|word| stems.stem(word)).collect();
            for one in &line {
                let known = kindred.entry(one.to_string()).or_default();
                for other in line.iter().filter(|other| *other != one) {
                    if !known.iter().any(|known| known == other) {
                        known.push(other.to_string());
                    }
                }
            }
        }
        kindred
    });
    KINDRED.get(stem).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::{KIN, kin};
    use crate::terms;
    use std::collections::BTreeSet;

    #[test]
    fn short_forms_spellings_and_synonyms_are_kin_both_ways() {
        for (one, other) in [
            ("js", "javascript"),
            ("k8s", "kubernetes"),
            ("colour", "color"),
            ("summarize", "summary"),
            ("bought", "purchase"),
            ("pictures", "photos"),
        ] {
            let [one, other] = [one, other].map(|word| terms(word).remove(0));
            let meets =
                |a: &str, b: &str| kin(a).iter().any(|k| k == b || kin(k).iter().any(|k| k == b));
            assert!(meets(&one, &other) && meets(&other, &one), "{one} {other}");
        }
        assert!(kin("pdf").is_empty() && kin("").is_empty());
    }

    #[test]
    fn every_line_brings_stems_together() {
        let is_idle = |line: &&str| {
            let stems: Vec<String> = line.split(' ').flat_map(terms).collect();
            let different: BTreeSet<&String> = stems.iter().collect();
            stems.len() != line.split(' ').count() || different.len() < 2
        };
        let lines = KIN.lines().filter(|line| !line.is_empty());
        let idle: Vec<&str> = lines.filter(is_idle).collect();
        assert!(idle.is_empty(), "of stop words, or the stemmer does it alone: {idle:?}");
    }
}
