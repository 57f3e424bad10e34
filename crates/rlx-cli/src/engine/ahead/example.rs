//! Prints the vector of each text given as an argument, one line of numbers per text.

mod model;

use model::{BATCH, Model, NUMBERS, PROMPT, columns, rows};
use std::error::Error;
use tokenizers::{Encoding, Tokenizer};

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let tokenizer: Tokenizer = include_str!("tokenizer.json").parse()?;
    let mut model = Model::new();
    let texts: Vec<String> = std::env::args().skip(1).collect();
    for texts in texts.chunks(BATCH) {
        let encoded = texts.iter().map(|text| tokenizer.encode(format!("{PROMPT}{text}"), true));
        let encoded = encoded.collect::<Result<Vec<Encoding>, _>>()?;
        let length = |tokens: &Encoding| tokens.get_attention_mask().iter().sum::<u32>() as usize;
        let columns = columns(encoded.iter().map(length).max().unwrap_or(0));
        let rows = rows(texts.len());
        let [mut ids, mut types, mut mask] = [(); 3].map(|()| vec![0; rows * columns]);
        for (row, tokens) in encoded.iter().enumerate() {
            for at in 0..columns {
                ids[row * columns + at] = tokens.get_ids()[at] as i32;
                types[row * columns + at] = tokens.get_type_ids()[at] as i32;
                mask[row * columns + at] = tokens.get_attention_mask()[at] as i32;
            }
        }
        let mut vectors = vec![0.0; rows * NUMBERS];
        model.run(&ids, &types, &mask, &mut vectors)?;
        for vector in vectors.chunks(NUMBERS).take(texts.len()) {
            let numbers: Vec<String> = vector.iter().map(f32::to_string).collect();
            println!("{}", numbers.join(" "));
        }
    }
    Ok(())
}
