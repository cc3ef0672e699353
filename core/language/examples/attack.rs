//! Feeds mutated configurations to both readers: `attack NUMBER SEED FILE…` mutates and crosses the files, checks the round-trip laws for
//! each input, and prints how many were accepted, how many rejected, and the slowest. Of every fourth input a part goes to the parser of
//! expressions instead. A broken law or a panic ends the run.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use planfuzz_language::laws::{Syntax, expression, round_trip};

/// A small random number generator (SplitMix64).
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

/// Tokens of the languages, inserted as a whole.
const WORDS: [&str; 40] = [
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "\"",
    "${",
    "%{",
    "$${",
    "~}",
    "<<EOT\n",
    "<<-E\n",
    "EOT\n",
    "\n",
    "=",
    ":",
    ",",
    ".",
    "[*]",
    "...",
    "for x in ",
    "if ",
    "else",
    "endfor",
    "dynamic \"a\" ",
    "variable \"b\" ",
    "locals ",
    "module \"m\" ",
    "provider ",
    "null",
    "true",
    "1e9",
    "\\u0041",
    "\\",
    "//",
    "/*",
    "*/",
    "#",
    "\u{FEFF}",
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [number, seed, files @ ..] = arguments.as_slice() else {
        eprintln!("attack NUMBER SEED FILE…");
        return ExitCode::from(2);
    };
    let (Ok(number), Ok(seed)) = (number.parse::<u64>(), seed.parse::<u64>()) else { return ExitCode::from(2) };
    let seeds: Vec<(Syntax, Vec<u8>)> =
        files.iter().filter_map(|file| Some((syntax(file), std::fs::read(file).ok()?))).collect();
    if seeds.is_empty() {
        eprintln!("no file could be read");
        return ExitCode::from(2);
    }
    let mut dice = Dice(seed);
    let (mut taken, mut slowest) = (0_u64, Duration::ZERO);
    for _ in 0..number {
        let (syntax, mut bytes) = input(&seeds, &mut dice);
        let is_expression = dice.below(4) == 0;
        if is_expression {
            bytes = part(&bytes, &mut dice);
        }
        let start = Instant::now();
        match if is_expression { expression(&bytes) } else { round_trip(&bytes, syntax) } {
            Ok(is_taken) => taken += u64::from(is_taken),
            Err(law) => {
                println!("broken: {law}\n{syntax:?}\n{}", String::from_utf8_lossy(&bytes));
                return ExitCode::FAILURE;
            }
        }
        slowest = slowest.max(start.elapsed());
    }
    println!("{number} inputs, {taken} taken, {} refused, slowest {slowest:?}", number - taken);
    ExitCode::SUCCESS
}

fn syntax(file: &str) -> Syntax {
    if file.ends_with(".json") { Syntax::Json } else { Syntax::Native }
}

/// A part of the input: the text after an equals sign, or from any position, up to the length of an expression.
fn part(bytes: &[u8], dice: &mut Dice) -> Vec<u8> {
    let at = dice.below(bytes.len() + 1);
    let equals = bytes[at..].iter().position(|&byte| byte == b'=').filter(|_| dice.below(4) != 0);
    let start = equals.map_or(at, |found| at + found + 1);
    bytes[start..(start + dice.below(120)).min(bytes.len())].to_vec()
}

fn input(seeds: &[(Syntax, Vec<u8>)], dice: &mut Dice) -> (Syntax, Vec<u8>) {
    let (syntax, seed) = &seeds[dice.below(seeds.len())];
    let mut bytes = seed.clone();
    for _ in 0..=dice.below(6) {
        let at = dice.below(bytes.len() + 1);
        let end = (at + dice.below(12)).min(bytes.len());
        match dice.below(6) {
            0 => drop(bytes.drain(at..end)),
            1 => drop(bytes.splice(at..at, WORDS[dice.below(WORDS.len())].bytes())),
            2 => drop(bytes.splice(at..end, WORDS[dice.below(WORDS.len())].bytes())),
            3 if at < bytes.len() => bytes[at] = dice.next() as u8,
            4 => {
                let part = bytes[at..end].to_vec();
                let to = dice.below(bytes.len() + 1);
                drop(bytes.splice(to..to, part));
            }
            _ => {
                let other = &seeds[dice.below(seeds.len())].1;
                let from = dice.below(other.len() + 1);
                let part = &other[from..(from + dice.below(80)).min(other.len())];
                drop(bytes.splice(at..at, part.iter().copied()));
            }
        }
    }
    (*syntax, bytes)
}
