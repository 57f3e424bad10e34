//! Embeds the texts given after a model's folder, and prints the first numbers of each vector.

use rlx_models::embedder::{EmbedderOptions, SentenceEmbedder};

#[allow(clippy::print_stdout)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let dir = args.next().ok_or("missing arguments: name the folder of a model, then texts")?;
    let texts: Vec<String> = args.collect();
    let embedder = SentenceEmbedder::load(dir.as_ref(), &EmbedderOptions::default())?;
    for (text, vector) in texts.iter().zip(embedder.embed(&texts)?) {
        println!("{text:?}: {:?} …", &vector[..vector.len().min(4)]);
    }
    Ok(())
}
