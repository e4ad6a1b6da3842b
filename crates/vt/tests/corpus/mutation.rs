//! Mutations of a corpus. The same seed gives the same inputs.

/// The longest input; longer inputs find nothing more.
const LONGEST: usize = 2048;

/// An endless sequence of inputs.
pub(crate) struct Mutations<'a> {
    state: u64,
    corpus: &'a [Vec<u8>],
    dictionary: &'a [Vec<u8>],
}

impl<'a> Mutations<'a> {
    pub(crate) fn new(seed: u64, corpus: &'a [Vec<u8>], dictionary: &'a [Vec<u8>]) -> Mutations<'a> {
        Mutations { state: seed.wrapping_mul(2).wrapping_add(1), corpus, dictionary }
    }

    /// A number below `end`, which must not be zero (xorshift64*).
    fn below(&mut self, end: usize) -> usize {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        let random = self.state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
        usize::try_from(random).unwrap_or(0) % end
    }

    /// A range of `bytes` of length at most `most`.
    fn part(&mut self, bytes: &[u8], most: usize) -> std::ops::Range<usize> {
        let start = self.below(bytes.len() + 1);
        let end = (start + self.below(most) + 1).min(bytes.len());
        start..end
    }

    /// An input of the corpus with up to eight changes.
    pub(crate) fn next_input(&mut self) -> Vec<u8> {
        let (corpus, dictionary) = (self.corpus, self.dictionary);
        let mut input = corpus[self.below(corpus.len())].clone();
        for _ in 0..=self.below(8) {
            let at = self.below(input.len() + 1);
            match self.below(6) {
                0 => {
                    let word = &dictionary[self.below(dictionary.len())];
                    input.splice(at..at, word.iter().copied());
                }
                1 => {
                    let other = &corpus[self.below(corpus.len())];
                    let part = self.part(other, 64);
                    input.splice(at..at, other[part].iter().copied());
                }
                2 => {
                    let part = self.part(&input, 64);
                    let again = input[part].to_vec();
                    input.splice(at..at, again);
                }
                3 => {
                    let part = self.part(&input, 16);
                    input.drain(part);
                }
                4 if at < input.len() => input[at] ^= 1 << self.below(8),
                _ => input.insert(at, u8::try_from(self.below(256)).unwrap_or(0)),
            }
        }
        input.truncate(LONGEST);
        input
    }
}

/// The words of a libFuzzer dictionary.
pub(crate) fn dictionary(text: &str) -> Vec<Vec<u8>> {
    let quoted = |line: &str| Some(line.split_once('"')?.1.rsplit_once('"')?.0.to_owned());
    let words = text.lines().filter(|line| !line.starts_with('#')).filter_map(quoted);
    let words: Vec<Vec<u8>> = words.map(|word| unescaped(&word)).collect();
    assert!(words.len() > 50, "the dictionary has too few words: cannot parse it");
    words
}

fn unescaped(word: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = word.as_bytes();
    while let [first, after @ ..] = rest {
        (bytes, rest) = match (first, after) {
            (b'\\', [b'x', high, low, after @ ..]) => {
                let hex =
                    |digit: u8| char::from(digit).to_digit(16).and_then(|n| u8::try_from(n).ok()).unwrap();
                ([bytes, vec![hex(*high) << 4 | hex(*low)]].concat(), after)
            }
            (b'\\', [quoted, after @ ..]) => ([bytes, vec![*quoted]].concat(), after),
            _ => ([bytes, vec![*first]].concat(), after),
        };
    }
    bytes
}
