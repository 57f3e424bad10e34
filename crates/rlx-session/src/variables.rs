//! The environment variables that sessions read, and the list of all that sessions and their backends read.

use crate::registry;
use rlx_driver::Env;
use rlx_driver::env::{AnyVariable, EnvError, switch};

pub use rlx_compile::variables::VERBOSE;
#[cfg(feature = "cpu")]
pub use rlx_cpu::variables::NUM_THREADS;

rlx_driver::variables! {
    /// Store compiled programs in `programs/` in the cache folder, and load them from there.
    pub PROGRAM_CACHE: bool = "RLX_PROGRAM_CACHE" {
        values: "0 | 1",
        parse: switch,
        default: "1 for the command line; for a program that uses the library, 0 unless it asks for the cache",
    }
}

/// Returns the variables that sessions, the compiler, readers of files, and the backends in this program read.
pub fn all() -> Vec<&'static dyn AnyVariable> {
    let mut all = [rlx_compile::variables::VARIABLES, VARIABLES, rlx_files::variables::VARIABLES].concat();
    all.extend(registry::variables());
    all
}

/// Returns the environment of the process, after checking [`all`] variables, whether or not the caller reads them.
pub(crate) fn checked_env() -> Result<Env, EnvError> {
    let env = Env::process();
    env.check(&all())?;
    Ok(env)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn each_variable_is_declared_once() {
        let mut names = HashSet::new();
        assert!(all().iter().all(|variable| names.insert(variable.name())));
        assert!(names.contains("RLX_VERBOSE") && names.contains("RLX_CACHE_DIR"), "{names:?}");
        assert_eq!(names.contains("RLX_NUM_THREADS"), cfg!(feature = "cpu"));
    }
}
