//! An answer in progress: collects its text token by token and decides where it ends.

use super::generator::{FinishReason, GenerateError, GenerateOptions, Generated, Piece};
use super::logprobs::TokenLogprobs;
use super::stop::StopStrings;
use rlx_tokenizer::Tokenizer;
use std::ops::ControlFlow;
use std::time::Duration;

/// An answer in progress.
pub(super) struct Answer<'t> {
    stream: rlx_tokenizer::TextStream<'t>,
    stops: StopStrings,
    logprobs_of: Option<usize>,
    text: String,
    pub(super) tokens: Vec<u32>,
    logprobs: Vec<TokenLogprobs>,
}

impl<'t> Answer<'t> {
    pub(super) fn new(tokenizer: &'t Tokenizer, options: &GenerateOptions) -> Self {
        Answer {
            stream: tokenizer.stream(options.special),
            stops: StopStrings::new(&options.stop),
            logprobs_of: options.logprobs,
            text: String::new(),
            tokens: Vec::new(),
            logprobs: Vec::new(),
        }
    }

    /// Appends a token drawn from these logits. Returns the reason if the answer ends with it.
    pub(super) fn push(
        &mut self,
        token: u32,
        logits: &[f32],
        tell: &mut dyn FnMut(Piece<'_>) -> ControlFlow<()>,
    ) -> Result<Option<FinishReason>, GenerateError> {
        self.tokens.push(token);
        self.logprobs.extend(self.logprobs_of.map(|top| TokenLogprobs::of(logits, token, top)));
        // A model may have more logits than its vocabulary has tokens; the extra ones have no text.
        let text =
            if (token as usize) < self.stream.tokens() { self.stream.push(token)? } else { String::new() };
        let more = self.give(text, tell);
        let stop = self.stops.found().map(|stop| FinishReason::Stop(stop.to_string()));
        Ok(stop.or(more.is_break().then_some(FinishReason::Canceled)))
    }

    fn give(&mut self, text: String, tell: &mut dyn FnMut(Piece<'_>) -> ControlFlow<()>) -> ControlFlow<()> {
        let given = self.stops.push(&text);
        if given.is_empty() {
            return ControlFlow::Continue(());
        }
        self.text.push_str(&given);
        tell(Piece::Text(&given))
    }

    pub(super) fn finish(
        mut self,
        finish: FinishReason,
        cached: usize,
        times: [Duration; 2],
        tell: &mut dyn FnMut(Piece<'_>) -> ControlFlow<()>,
    ) -> Result<Generated, GenerateError> {
        let held = self.stream.finish()?;
        let mut rest = self.stops.push(&held);
        // The last characters may complete a stop string.
        let finish = self.stops.found().map_or(finish, |stop| FinishReason::Stop(stop.to_string()));
        rest += &self.stops.finish();
        if !rest.is_empty() {
            self.text.push_str(&rest);
            let _ = tell(Piece::Text(&rest));
        }
        let Answer { text, tokens, logprobs, .. } = self;
        Ok(Generated { text, tokens, logprobs, finish, cached, times })
    }
}
