//! Optimizers as text, and what is rejected.

use rlx_ir::{Builder, DType, Shape};
use rlx_optim::{Error, Initial, Operands, Optimizer, Param, update_graph};

#[test]
fn every_optimizer_prints_and_parses() {
    for name in Optimizer::NAMES {
        let optimizer: Optimizer = name.parse().unwrap();
        assert_eq!(optimizer.name(), *name);
        assert_eq!(optimizer.to_string().parse::<Optimizer>().unwrap(), optimizer);
    }
    assert_eq!("adam".parse::<Optimizer>().unwrap(), Optimizer::adam());
    assert_eq!(Optimizer::adamw().to_string(), "adamw(b1=0.9, b2=0.999, eps=1e-8, weight_decay=0.0001)");
    let parsed: Optimizer = " sgd( momentum = 0.9 )".parse().unwrap();
    assert_eq!(parsed, Optimizer::Sgd { momentum: 0.9 });
    let parsed: Optimizer = "muon(nesterov=false, ns_steps=3)".parse().unwrap();
    assert_ne!(parsed, Optimizer::muon());
    assert_eq!(parsed.to_string().parse::<Optimizer>().unwrap(), parsed);
    let unclipped: Optimizer = "sophia(clip_threshold=inf)".parse().unwrap();
    assert_eq!(unclipped.to_string().parse::<Optimizer>().unwrap(), unclipped);
}

#[test]
fn wrong_text_says_what_is_wrong() {
    let cases = [
        ("adem", "there is no optimizer \"adem\"; there are sgd, nesterov, adam"),
        ("adam(b3=1)", "`b3` does not exist; there are b1, b2, eps"),
        ("adam(b1=1)", "`b1` is 1.0, but must be at least 0 and below 1"),
        ("adam(b1=NaN)", "`b1` is NaN, but must be at least 0 and below 1"),
        ("adam(b1=x)", "`b1` is \"x\", but must be a number"),
        ("adam(0.9)", "\"0.9\" is not of the form `setting=value`"),
        ("adam(b1=0.9", "it does not end with `)`"),
        ("adam(b1=0.9))", "it has an extra `)`"),
        ("adam(b1=0.9,)", "\"\" is not of the form `setting=value`"),
        ("", "there is no optimizer \"\""),
    ];
    for (text, expected) in cases {
        let message = text.parse::<Optimizer>().unwrap_err().to_string();
        assert!(message.contains(expected), "{text}: {message}");
    }
}

#[test]
fn narrow_parameters_are_kept_in_f32_too() {
    let param = Param::new("w", Shape::new(&[3], DType::BF16));
    let slots = Optimizer::adam().slots(&param).unwrap();
    assert_eq!(slots.iter().map(|s| s.name).collect::<Vec<_>>(), ["m", "v", "master"]);
    assert!(slots.iter().all(|s| s.shape.dtype() == DType::F32));
    assert_eq!(slots[2].initial, Initial::Parameter);
    let value = rlx_ir::Literal::new(&[3], &[1.0f32, -2.0, 0.5].map(half::bf16::from_f32)).unwrap();
    let master = slots[2].initial_value(&value).unwrap();
    assert_eq!(master.as_slice::<f32>().unwrap(), [1.0, -2.0, 0.5]);
}

#[test]
fn parameters_and_operands_that_do_not_fit_are_refused() {
    let integers = Param::new("ids", Shape::new(&[3], DType::I32));
    assert!(matches!(update_graph(&Optimizer::sgd(), &[integers]), Err(Error::Parameter { .. })));
    let invalid = Optimizer::Sgd { momentum: 1.5 };
    let w = Param::new("w", Shape::new(&[3], DType::F32));
    assert!(matches!(update_graph(&invalid, std::slice::from_ref(&w)), Err(Error::Setting { .. })));

    let b = Builder::new("g");
    let f32s = |name: &str, dims: &[usize]| b.input(name, Shape::new(dims, DType::F32));
    let (value, other, lr) = (f32s("w", &[3]), f32s("x", &[4]), f32s("lr", &[]));
    let step = b.input("step", Shape::scalar(DType::I64));
    let refused = |parameter, gradient, state: &[rlx_ir::Tensor], step, learning_rate| {
        let operands = Operands { parameter, gradient, state, step, learning_rate, hessian: None };
        Optimizer::Sgd { momentum: 0.9 }.update(&w, &operands).unwrap_err().to_string()
    };
    let state = [value.clone()];
    let cases = [
        (
            refused(&other, &value, &state, &step, &lr),
            "the value of parameter \"w\" is f32[4], expected f32[3]",
        ),
        (refused(&value, &other, &state, &step, &lr), "the gradient of parameter \"w\" is f32[4]"),
        (refused(&value, &value, &[], &step, &lr), "sgd keeps 1 state tensor(s) for parameter \"w\", got 0"),
        (
            refused(&value, &value, std::slice::from_ref(&other), &step, &lr),
            "the state `momentum` of parameter \"w\"",
        ),
        (
            refused(&value, &value, &state, &lr, &lr),
            "the step number of parameter \"w\" is f32[], expected an integer",
        ),
        (refused(&value, &value, &state, &step, &value), "the learning rate of parameter \"w\""),
    ];
    for (message, expected) in cases {
        assert!(message.contains(expected), "{message}");
    }
}
