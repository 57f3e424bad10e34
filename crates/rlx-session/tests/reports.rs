//! Reports about a compile, which go to the sink that the program sets.
#![cfg(feature = "cpu")]

use rlx_ir::{Builder, DType, Shape};
use rlx_session::{CompileOptions, Device, Pass, PrintIr, PrintWhen, Session, Topic, set_report_sink};
use std::sync::{Arc, Mutex};

/// The sink is shared by all tests of a process, so there is one test.
#[test]
fn each_report_that_options_ask_for_reaches_the_sink() {
    let reports: Arc<Mutex<Vec<(Topic, String)>>> = Arc::default();
    let seen = reports.clone();
    set_report_sink(move |topic, text| seen.lock().unwrap().push((topic, text.into())));
    let compile = |options: CompileOptions| {
        let b = Builder::new("reported");
        let x = b.input("x", Shape::new(&[3], DType::F32));
        let graph = b.finish(&[&(&(&x * 2.0) + &x).exp()]).unwrap();
        reports.lock().unwrap().clear();
        Session::new(Device::Cpu).with_options(options).try_compile(graph).unwrap();
        reports.lock().unwrap().clone()
    };
    assert_eq!(compile(CompileOptions::new()), []);
    let mut options = CompileOptions::new();
    options.print_report = true;
    options.print_times = true;
    options.print_ir = Some(PrintIr { when: PrintWhen::After, pass: Some(Pass::Fuse) });
    let found = compile(options);
    let topics: Vec<Topic> = found.iter().map(|(topic, _)| *topic).collect();
    assert_eq!(topics, [Topic::Graph, Topic::Times, Topic::Dispatch]);
    for ((_, text), start) in
        found.iter().zip(["// after fuse\ngraph \"reported\"", "passes: ", "dispatch on cpu: "])
    {
        assert!(text.starts_with(start) && text.ends_with('\n'), "{text}");
    }
}
