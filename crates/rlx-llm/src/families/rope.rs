//! Reads settings of rotary embeddings in old and new files: `rope_theta` and `rope_scaling`, or `rope_parameters`
//! with both.

use super::settings::{MAX_VOCAB, number};
use crate::spec::{RopeSpec, RopeStretch, StretchRule};
use rlx_ir::RopeStyle;
use rlx_models::fields::{ConfigError, Fields};
use serde_json::{Map, Value};
use std::f64::consts::TAU;

/// Returns the rotary embedding for heads of this size, of all layers or of one kind if the settings distinguish
/// kinds.
pub(super) fn rope(f: &Fields, head_size: usize, layers: Option<&str>) -> Result<RopeSpec, ConfigError> {
    let settings = Settings::of(f, layers)?;
    let theta = match settings.number("rope_theta")? {
        Some(theta) => theta,
        None => f.get("rope_theta").and_then(Value::as_f64).ok_or_else(|| f.missing("rope_theta"))?,
    };
    if !(theta.is_finite() && theta > 0.0) {
        return Err(settings.wrong("rope_theta must be a positive number"));
    }
    let partial = match settings.number("partial_rotary_factor")? {
        Some(part) => part,
        None => f.get("partial_rotary_factor").and_then(Value::as_f64).unwrap_or(1.0),
    };
    let is_proportional = settings.kind() == Some("proportional");
    let dims = match f.count_or("rotary_dim", 1..=head_size)? {
        _ if is_proportional => head_size,
        Some(dims) => dims,
        None => (head_size as f64 * partial) as usize,
    };
    if !(0.0..=1.0).contains(&partial) || dims == 0 || !dims.is_multiple_of(2) {
        return Err(
            settings.wrong(format!("a head of {head_size} must rotate an even number above 0, not {dims}"))
        );
    }
    let mut rope = settings.scaled(plain(theta, dims), theta)?;
    if is_proportional {
        // The remaining pairs do not rotate.
        let rotating = (partial * head_size as f64 / 2.0) as usize;
        rope.frequencies.iter_mut().skip(rotating).for_each(|f| *f = 0.0);
    }
    if let Some(divisors) = divisors(f, dims / 2)? {
        rope.frequencies.iter_mut().zip(divisors).for_each(|(f, by)| *f /= by);
    }
    if let Some(factor) = number(f, "rope_magnitude", f64::MIN_POSITIVE..=f64::MAX)? {
        rope.magnitude *= factor;
    }
    if f.flag("rope_interleave")?.unwrap_or(false) {
        rope.style = RopeStyle::Interleaved;
    }
    Ok(rope)
}

/// Returns the divisors of the frequencies, one for each pair: the scaling of Llama 3 in GGUF files.
fn divisors(f: &Fields, pairs: usize) -> Result<Option<Vec<f64>>, ConfigError> {
    let Some(value) = f.get("rope_divisors") else { return Ok(None) };
    match value.as_array().and_then(|list| positive(list, pairs)) {
        Some(list) => Ok(Some(list)),
        None => Err(f.wrong("rope_divisors", format!("expected {pairs} positive numbers"))),
    }
}

/// Returns a list of `count` positive numbers.
fn positive(list: &[Value], count: usize) -> Option<Vec<f64>> {
    let list: Option<Vec<f64>> = list.iter().map(Value::as_f64).collect();
    list.filter(|list| list.len() == count && list.iter().all(|x| *x > 0.0))
}

/// Pair i rotates by θ^(−2i/dims) per position.
pub(super) fn plain(theta: f64, dims: usize) -> RopeSpec {
    let frequencies = (0..dims / 2).map(|i| theta.powf(-((2 * i) as f64) / dims as f64)).collect();
    RopeSpec { frequencies, stretch: None, magnitude: 1.0, style: RopeStyle::Halves }
}

/// The settings of one rotary embedding.
struct Settings<'a> {
    fields: &'a Fields,
    field: &'static str,
    map: Option<&'a Map<String, Value>>,
}

impl<'a> Settings<'a> {
    fn of(f: &'a Fields, layers: Option<&str>) -> Result<Settings<'a>, ConfigError> {
        let field = if f.get("rope_parameters").is_some() { "rope_parameters" } else { "rope_scaling" };
        let Some(value) = f.get(field) else { return Ok(Settings { fields: f, field, map: None }) };
        let map = value.as_object().ok_or_else(|| f.wrong(field, "expected an object"))?;
        let own = layers.and_then(|layers| map.get(layers)).and_then(Value::as_object);
        Ok(Settings { fields: f, field, map: Some(own.unwrap_or(map)) })
    }

    fn wrong(&self, problem: impl Into<String>) -> ConfigError {
        self.fields.wrong(self.field, problem)
    }

    fn number(&self, name: &str) -> Result<Option<f64>, ConfigError> {
        match self.map.and_then(|map| map.get(name)).filter(|v| !v.is_null()) {
            None => Ok(None),
            Some(value) => match value.as_f64().filter(|x| x.is_finite()) {
                Some(x) => Ok(Some(x)),
                None => Err(self.wrong(format!("{name} must be a number"))),
            },
        }
    }

    fn needed(&self, name: &str) -> Result<f64, ConfigError> {
        self.number(name)?
            .filter(|x| *x > 0.0)
            .ok_or_else(|| self.wrong(format!("{name} is missing; it must be a positive number")))
    }

    /// Returns one positive number for each pair.
    fn factors(&self, name: &str, pairs: usize) -> Result<Vec<f64>, ConfigError> {
        let list = self.map.and_then(|map| map.get(name)).and_then(Value::as_array);
        list.and_then(|list| positive(list, pairs))
            .ok_or_else(|| self.wrong(format!("{name} must be a list of {pairs} positive numbers")))
    }

    /// Returns the length that the model was first trained for.
    fn original(&self) -> Result<f64, ConfigError> {
        let here = self.number("original_max_position_embeddings")?;
        let outside = |field: &str| self.fields.get(field).and_then(Value::as_f64);
        here.or_else(|| outside("original_max_position_embeddings"))
            .or_else(|| outside("max_position_embeddings"))
            .filter(|x| (1.0..=MAX_VOCAB as f64).contains(x))
            .ok_or_else(|| self.wrong("original_max_position_embeddings is missing"))
    }

    /// Returns the name of the scaling.
    fn kind(&self) -> Option<&'a str> {
        let text = |name: &str| self.map.and_then(|map| map.get(name)).and_then(Value::as_str);
        text("rope_type").or_else(|| text("type"))
    }

    /// Returns `plain` with the scaling that the settings describe.
    fn scaled(&self, mut plain: RopeSpec, theta: f64) -> Result<RopeSpec, ConfigError> {
        match self.kind() {
            None | Some("default") => {}
            Some("proportional") => {
                let factor = if self.number("factor")?.is_some() { self.needed("factor")? } else { 1.0 };
                plain.frequencies.iter_mut().for_each(|f| *f /= factor);
            }
            Some("linear") => {
                let factor = self.needed("factor")?;
                plain.frequencies.iter_mut().for_each(|f| *f /= factor);
            }
            Some("llama3") => self.llama3(&mut plain)?,
            Some("yarn") => self.yarn(&mut plain, theta)?,
            Some("longrope" | "su") => self.longrope(&mut plain)?,
            Some("dynamic") => self.dynamic(&mut plain)?,
            Some(other) => {
                let known = "known are default, linear, dynamic, llama3, yarn, longrope and proportional";
                return Err(self.wrong(format!("unknown scaling `{other}`; {known}")));
            }
        }
        Ok(plain)
    }

    /// Low frequencies are divided by the factor, high ones are kept, and those in between are interpolated (Llama
    /// 3.1).
    fn llama3(&self, rope: &mut RopeSpec) -> Result<(), ConfigError> {
        let factor = self.needed("factor")?;
        let (low, high) = (self.needed("low_freq_factor")?, self.needed("high_freq_factor")?);
        let original = self.original()?;
        if high <= low {
            return Err(self.wrong("high_freq_factor must be greater than low_freq_factor"));
        }
        for f in &mut rope.frequencies {
            let length = TAU / *f;
            *f = if length > original / low {
                *f / factor
            } else if length < original / high {
                *f
            } else {
                let smooth = (original / length - low) / (high - low);
                (1.0 - smooth) * *f / factor + smooth * *f
            };
        }
        Ok(())
    }

    /// Peng et al., 2023, <https://arxiv.org/abs/2309.00071>: pairs that rotate often within the original length are
    /// kept, pairs that hardly rotate are divided by the factor, with a ramp in between.
    fn yarn(&self, rope: &mut RopeSpec, theta: f64) -> Result<(), ConfigError> {
        let original = self.original()?;
        let longest = self.fields.get("max_position_embeddings").and_then(Value::as_f64);
        let factor = match (self.number("factor")?, longest) {
            (Some(factor), _) if factor > 0.0 => factor,
            (None, Some(longest)) if longest > 0.0 => longest / original,
            _ => return Err(self.wrong("factor is missing; it must be a positive number")),
        };
        // The reference treats 0 as not set.
        let turns = |name: &str| Ok::<_, ConfigError>(self.number(name)?.filter(|x| *x != 0.0));
        let (fast, slow) = (turns("beta_fast")?.unwrap_or(32.0), turns("beta_slow")?.unwrap_or(1.0));
        if fast < 0.0 || slow < 0.0 {
            return Err(self.wrong("beta_fast and beta_slow must not be negative"));
        }
        let dims = rope.rotary_dims() as f64;
        // The pair that rotates `turns` times within the original length.
        let pair = |turns: f64| dims * (original / (turns * TAU)).ln() / (2.0 * theta.ln());
        let (mut low, mut high) = (pair(fast), pair(slow));
        let truncate = self.map.and_then(|map| map.get("truncate")).and_then(Value::as_bool).unwrap_or(true);
        if truncate {
            (low, high) = (low.floor(), high.ceil());
        }
        let (low, high) = (low.max(0.0), high.min(dims - 1.0));
        let width = if low == high { 0.001 } else { high - low };
        for (i, f) in rope.frequencies.iter_mut().enumerate() {
            let divided = ((i as f64 - low) / width).clamp(0.0, 1.0);
            *f = *f / factor * divided + *f * (1.0 - divided);
        }
        let magnitude = |scale: f64, m: f64| if scale <= 1.0 { 1.0 } else { 0.1 * m * scale.ln() + 1.0 };
        rope.magnitude = match (
            self.number("attention_factor")?,
            self.number("mscale")?,
            self.number("mscale_all_dim")?,
        ) {
            (Some(factor), ..) => factor,
            (None, Some(one), Some(all)) if one != 0.0 && all != 0.0 => {
                magnitude(factor, one) / magnitude(factor, all)
            }
            _ => magnitude(factor, 1.0),
        };
        Ok(())
    }

    /// Uses one divisor for each pair, from the list for short texts or the one for long texts (Ding et al., 2024,
    /// <https://arxiv.org/abs/2402.13753>).
    fn longrope(&self, rope: &mut RopeSpec) -> Result<(), ConfigError> {
        let original = self.original()?;
        let limit = original as usize;
        let pairs = rope.frequencies.len();
        let divided =
            |factors: Vec<f64>| rope.frequencies.iter().zip(factors).map(|(f, by)| f / by).collect();
        let long = divided(self.factors("long_factor", pairs)?);
        let short = divided(self.factors("short_factor", pairs)?);
        let longest = self.fields.get("max_position_embeddings").and_then(Value::as_f64).unwrap_or(original);
        let stretch = self.number("factor")?.unwrap_or(longest / original);
        rope.magnitude = match self.number("attention_factor")? {
            Some(factor) => factor,
            None if stretch <= 1.0 => 1.0,
            None => (1.0 + stretch.ln() / original.ln()).sqrt(),
        };
        (rope.frequencies, rope.stretch) =
            (short, Some(RopeStretch { limit, rule: StretchRule::Fixed(long) }));
        Ok(())
    }

    /// The base grows with the length of the text beyond the length that the model was made for.
    fn dynamic(&self, rope: &mut RopeSpec) -> Result<(), ConfigError> {
        let factor = self.needed("factor")?;
        if rope.rotary_dims() <= 2 {
            return Err(self.wrong("dynamic scaling needs more than one pair of rotary dimensions"));
        }
        let field = "max_position_embeddings";
        let limit = self.fields.count_or(field, 1..=MAX_VOCAB)?.ok_or_else(|| self.fields.missing(field))?;
        rope.stretch = Some(RopeStretch { limit, rule: StretchRule::GrowingBase { factor } });
        Ok(())
    }
}
