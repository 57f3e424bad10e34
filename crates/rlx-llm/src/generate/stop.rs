//! Finds stop strings in text that arrives in pieces.

/// Passes text on as it arrives, up to the first stop string. Text that may be the beginning of a stop string is held
/// back until more is known.
#[derive(Clone, Debug)]
pub(super) struct StopStrings {
    stops: Vec<String>,
    held: String,
    found: Option<String>,
}

impl StopStrings {
    pub(super) fn new(stops: &[String]) -> Self {
        let stops = stops.iter().filter(|stop| !stop.is_empty()).cloned().collect();
        StopStrings { stops, held: String::new(), found: None }
    }

    /// Returns the text that can be passed on once `text` has arrived.
    pub(super) fn push(&mut self, text: &str) -> String {
        if self.found.is_some() {
            return String::new();
        }
        self.held.push_str(text);
        let first = self
            .stops
            .iter()
            .filter_map(|stop| Some((self.held.find(stop.as_str())?, stop)))
            .min_by_key(|(at, _)| *at);
        let end = match first {
            Some((at, stop)) => {
                self.found = Some(stop.clone());
                at
            }
            None => self.held.len() - self.beginning(),
        };
        let rest = self.held.split_off(end);
        let given = std::mem::replace(&mut self.held, rest);
        if self.found.is_some() {
            self.held.clear();
        }
        given
    }

    /// Returns how many bytes at the end of the held text may begin a stop string.
    fn beginning(&self) -> usize {
        let longest = |stop: &String| {
            let most = stop.len().saturating_sub(1).min(self.held.len());
            (1..=most).rev().find(|&n| stop.as_bytes()[..n] == self.held.as_bytes()[self.held.len() - n..])
        };
        self.stops.iter().filter_map(longest).max().unwrap_or(0)
    }

    /// Returns the stop string that was found.
    pub(super) fn found(&self) -> Option<&str> {
        self.found.as_deref()
    }

    /// Returns the text that was held back but did not become a stop string.
    pub(super) fn finish(self) -> String {
        self.held
    }
}

#[cfg(test)]
mod tests {
    use super::StopStrings;

    fn run(stops: &[&str], pieces: &[&str]) -> (Vec<String>, Option<String>, String) {
        let stops: Vec<String> = stops.iter().map(|s| (*s).to_string()).collect();
        let mut stream = StopStrings::new(&stops);
        let given = pieces.iter().map(|piece| stream.push(piece)).collect();
        let found = stream.found().map(str::to_string);
        (given, found, stream.finish())
    }

    #[test]
    fn only_the_beginning_of_a_stop_string_is_withheld() {
        let (given, found, rest) = run(&["STOP", "\n\n"], &["aS", "T", "Ox", "b\n", "c", "ST"]);
        assert_eq!(given, ["a", "", "STOx", "b", "\nc", ""]);
        assert_eq!((found, rest.as_str()), (None, "ST"));
    }

    #[test]
    fn text_ends_at_the_first_stop_string_across_pieces() {
        let (given, found, rest) = run(&["STOP", "P!"], &["one S", "TO", "P! more", "x"]);
        assert_eq!(given, ["one ", "", "", ""]);
        assert_eq!((found.as_deref(), rest.as_str()), (Some("STOP"), ""));
        let (given, found, _) = run(&["ééé"], &["éé", "é"]);
        assert_eq!((given, found.as_deref()), (vec![String::new(), String::new()], Some("ééé")));
    }
}
