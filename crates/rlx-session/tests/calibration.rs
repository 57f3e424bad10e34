//! The choice between two devices before and after they are measured, and in the next process. Both devices are the CPU backend with a
//! delay in each run, and claim the opposite of their real speed.
#![cfg(feature = "cpu")]

use rlx_cpu::CpuBackend;
use rlx_ir::{Bindings, Builder, DType, Graph, Shape};
use rlx_session::{
    Availability, Backend, Calibration, Device, Rates, calibrate, calibrated_rates, pick_best_device,
    register_backend,
};
use std::any::Any;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use rlx_compile::{BackendError, BindError, Claims, Lowered, Param};
use rlx_exec::{Arguments, Executable, Queue};

/// A device with a delay in each call and an assumed speed.
struct Called {
    device: Device,
    delay: Duration,
    believed: f64,
}

impl Backend for Called {
    fn device(&self) -> Device {
        self.device
    }

    fn availability(&self) -> Availability {
        Availability::Present(format!("the CPU after {:?}", self.delay))
    }

    fn claims(&self) -> &dyn Claims {
        &CpuBackend
    }

    fn prepare(&self, lowered: Lowered, queue: &Arc<dyn Queue>) -> Result<Box<dyn Executable>, BackendError> {
        Ok(Box::new(Delayed { inner: CpuBackend.prepare(lowered, queue)?, delay: self.delay }))
    }

    fn rates(&self) -> Rates {
        Rates { flops: self.believed, bytes: self.believed, transfer: self.believed, run: 1e-9 }
    }
}

struct Delayed {
    inner: Box<dyn Executable>,
    delay: Duration,
}

impl Executable for Delayed {
    fn clone_on(&self, queue: &Arc<dyn Queue>) -> Result<Box<dyn Executable>, BackendError> {
        Ok(Box::new(Delayed { inner: self.inner.clone_on(queue)?, delay: self.delay }))
    }

    fn bind(&mut self, bindings: &Bindings) -> Result<(), BindError> {
        self.inner.bind(bindings)
    }

    fn set_param(&mut self, index: usize, value: Param) {
        self.inner.set_param(index, value);
    }

    fn run(&mut self, arguments: Arguments<'_, '_>) -> Result<(), BackendError> {
        std::thread::sleep(self.delay);
        self.inner.run(arguments)
    }

    fn output(&self, index: usize) -> Result<&[u8], BackendError> {
        self.inner.output(index)
    }

    fn arena(&self) -> (*const u8, usize) {
        self.inner.arena()
    }

    fn output_offset(&self, index: usize) -> Option<usize> {
        self.inner.output_offset(index)
    }

    fn describe(&self) -> String {
        self.inner.describe()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Registers both devices. The slow one claims to be the fastest, the quick one slower than that, and both faster than the CPU. The quick
/// one still takes longer than the CPU, which is measured too.
fn register() {
    let (slow, quick) = (Duration::from_millis(60), Duration::from_millis(2));
    register_backend(Arc::new(Called { device: Device::Gpu, delay: slow, believed: 1e18 }));
    register_backend(Arc::new(Called { device: Device::Cuda, delay: quick, believed: 1e16 }));
}

fn graph() -> Graph {
    let b = Builder::new("small");
    let x = b.input("x", Shape::new(&[4, 4], DType::F32));
    b.finish(&[&(&x + &x)]).unwrap()
}

/// Names the step that a process of this test performs.
const STEP: &str = "CALIBRATION_TEST_STEP";

/// Runs a step in a separate process, which stores its figures in `cache`.
fn step(name: &str, cache: &Path) {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "the_device_that_was_measured_fastest_is_picked", "--nocapture"])
        .env(STEP, name)
        .env("RLX_CACHE_DIR", cache)
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(output.status.success(), "{name}: {}", said.concat());
}

fn picked() -> Device {
    pick_best_device(&graph()).unwrap()
}

fn measured(device: Device) -> Calibration {
    let calibration = calibrate(device).unwrap();
    assert!(calibration.rates.are_sound(), "{calibration:?}");
    assert_eq!(calibrated_rates(device), Some(calibration.rates));
    calibration
}

/// A process that measures. Each measurement takes effect on its own.
fn measures() {
    assert_eq!(picked(), Device::Gpu, "by the devices' claims");
    let slow = measured(Device::Gpu);
    assert!(slow.rates.run >= 0.06, "{slow:?}");
    assert_eq!(picked(), Device::Cuda, "the next best by its claim");
    let quick = measured(Device::Cuda);
    assert!((2e-3..slow.rates.run).contains(&quick.rates.run), "{quick:?}");
    assert_eq!(picked(), Device::Cpu, "its claim compared with the others' measured rates");
    let files = [slow.kept.unwrap(), quick.kept.unwrap()];
    assert!(files.iter().all(|file| file.is_file()) && files[0] != files[1], "{files:?}");
}

/// A process that starts with the measurements of another one.
fn finds() {
    assert_eq!(picked(), Device::Cpu);
    // Another device under the same name has no figures.
    let delay = Duration::from_millis(7);
    register_backend(Arc::new(Called { device: Device::Gpu, delay, believed: 1e18 }));
    assert_eq!(calibrated_rates(Device::Gpu), None);
    assert_eq!(picked(), Device::Gpu);
}

/// A process without a cache still knows its own measurements.
fn keeps_nothing() {
    let calibration = measured(Device::Gpu);
    assert!(calibration.kept.is_err(), "{calibration:?}");
    assert_eq!(picked(), Device::Cuda);
}

#[test]
fn the_device_that_was_measured_fastest_is_picked() {
    register();
    // Child processes run this test with a step; the parent measures nothing.
    match std::env::var(STEP).as_deref() {
        Ok("measures") => measures(),
        Ok("finds") => finds(),
        Ok("keeps nothing") => keeps_nothing(),
        Ok(other) => panic!("there is no step {other}"),
        Err(_) => {
            let dir = tempfile::tempdir().unwrap();
            step("measures", dir.path());
            step("finds", dir.path());
            step("keeps nothing", Path::new(""));
            // Damaged files are ignored: the devices' claims apply again.
            for file in std::fs::read_dir(dir.path().join("calibration")).unwrap() {
                std::fs::write(file.unwrap().path(), b"{\"format\": 1").unwrap();
            }
            step("measures", dir.path());
        }
    }
}

#[test]
fn a_device_that_cannot_be_used_is_not_measured() {
    let error = calibrate(Device::Metal).unwrap_err().to_string();
    assert!(error.contains("metal"), "{error}");
    assert_eq!(calibrated_rates(Device::Metal), None);
}
