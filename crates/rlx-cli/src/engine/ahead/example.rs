//! Prints the vector of each text that it is given, a line of numbers per text.

mod model;

use model::{BATCH, Model, NUMBERS, PROMPT, TOKENS};
use std::error::Error;
use tokenizers::Tokenizer;

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let tokenizer: Tokenizer = include_str!("tokenizer.json").parse()?;
    let mut model = Model::new();
    let texts: Vec<String> = std::env::args().skip(1).collect();
    for batch in texts.chunks(BATCH) {
        let [mut ids, mut types, mut mask] = [(); 3].map(|()| vec![0; BATCH * TOKENS]);
        for (row, text) in batch.iter().enumerate() {
            let tokens = tokenizer.encode(format!("{PROMPT}{text}"), true)?;
            for at in 0..TOKENS {
                ids[row * TOKENS + at] = tokens.get_ids()[at] as i32;
                types[row * TOKENS + at] = tokens.get_type_ids()[at] as i32;
                mask[row * TOKENS + at] = tokens.get_attention_mask()[at] as i32;
            }
        }
        let mut vectors = vec![0.0; BATCH * NUMBERS];
        model.run(&ids, &types, &mask, &mut vectors)?;
        for vector in vectors.chunks(NUMBERS).take(batch.len()) {
            let numbers: Vec<String> = vector.iter().map(f32::to_string).collect();
            println!("{}", numbers.join(" "));
        }
    }
    Ok(())
}
