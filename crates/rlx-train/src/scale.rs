//! Loss scaling: a factor that keeps small gradients from underflowing in narrow floats, and decreases when they overflow.

/// The factor by which the loss is multiplied before it is differentiated; gradients are divided by it before they are used.
///
/// The dynamic scale follows PyTorch's `GradScaler`: a step with overflowing gradients is skipped, and the scale is multiplied by
/// `backoff`; after `interval` consecutive good steps, it is multiplied by `growth`. Unlike in PyTorch, it never falls below
/// [`LEAST`](Self::LEAST): if gradients overflow with such a small scale, training is diverging, and the step returns the error
/// [`TrainError::NoProgress`](crate::TrainError::NoProgress).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LossScale {
    /// The current factor.
    pub scale: f32,
    /// The multiplier of the factor after `interval` good steps.
    pub growth: f32,
    /// The multiplier of the factor after a step that overflowed.
    pub backoff: f32,
    /// The number of good steps after which the factor grows; 0 for a constant factor.
    pub interval: u32,
    /// The number of good steps since the factor last changed.
    pub good: u32,
}

impl LossScale {
    /// The minimum factor, 2⁻¹⁴, whose inverse is still exact in f16.
    pub const LEAST: f32 = 1.0 / 16384.0;

    /// Returns `GradScaler`'s defaults: 65536, doubled after 2000 good steps, halved after a bad one.
    pub const fn dynamic() -> Self {
        LossScale { scale: 65536.0, growth: 2.0, backoff: 0.5, interval: 2000, good: 0 }
    }

    /// Returns a constant factor.
    pub const fn fixed(scale: f32) -> Self {
        LossScale { scale, growth: 1.0, backoff: 1.0, interval: 0, good: 0 }
    }

    /// Records a step, and adjusts the factor.
    pub fn update(&mut self, finite: bool) {
        if !finite {
            // A smaller factor that the user chose does not change.
            self.scale = (self.scale * self.backoff).max(Self::LEAST.min(self.scale));
            self.good = 0;
            return;
        }
        self.good += 1;
        if self.interval > 0 && self.good == self.interval {
            let grown = self.scale * self.growth;
            // As in PyTorch, a scale does not grow if it would overflow.
            self.scale = if grown.is_finite() { grown } else { self.scale };
            self.good = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_has_a_least_value() {
        let mut scale = LossScale::dynamic();
        (0..100).for_each(|_| scale.update(false));
        assert_eq!(scale.scale, LossScale::LEAST);
        let mut small = LossScale { scale: 1e-10, ..LossScale::dynamic() };
        small.update(false);
        assert_eq!(small.scale, 1e-10);
    }

    #[test]
    fn the_scale_follows_grad_scaler() {
        // torch.amp.GradScaler(init_scale=8, growth_interval=2) on these steps; scripts/grad_scaler.py prints the row.
        let mut scale = LossScale { scale: 8.0, interval: 2, ..LossScale::dynamic() };
        let steps = [true, true, true, false, true, true, true, true, false, false];
        let seen: Vec<f32> = steps
            .map(|finite| {
                scale.update(finite);
                scale.scale
            })
            .to_vec();
        assert_eq!(seen, [8.0, 16.0, 16.0, 8.0, 8.0, 16.0, 16.0, 32.0, 16.0, 8.0]);
    }
}
