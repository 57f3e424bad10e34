//! The rooms of the project and their order, which `cargo xtask tidy` enforces and ARCHITECTURE.md shows.

use super::crates::Manifest;

/// A group of crates.
pub(crate) struct Room {
    pub name: &'static str,
    /// The crates, from bottom to top. A crate may use crates of lower rooms, and of lower rows of its own room.
    pub rows: &'static [&'static [&'static str]],
}

/// The rooms, from bottom to top.
pub(crate) const ROOMS: &[Room] = &[
    Room {
        name: "ground",
        rows: &[
            &["rlx-blas", "rlx-escape", "rlx-math", "rlx-pool", "rlx-quant"],
            &["rlx-driver", "rlx-simd"],
        ],
    },
    Room { name: "IR", rows: &[&["rlx-ir"]] },
    Room {
        name: "kernels on slices",
        rows: &[&["rlx-elementwise", "rlx-gemm", "rlx-linalg", "rlx-packed"], &["rlx-attention"]],
    },
    Room {
        name: "files and text",
        rows: &[&["rlx-files"], &["rlx-gguf"], &["rlx-tokenizer"], &["rlx-chat"]],
    },
    Room { name: "transforms", rows: &[&["rlx-expand"], &["rlx-autodiff"]] },
    Room { name: "compiler", rows: &[&["rlx-fusion"], &["rlx-compile"], &["rlx-exec", "rlx-opt"]] },
    Room { name: "kernel language", rows: &[&["rlx-codegen"]] },
    Room { name: "formats", rows: &[&["rlx-mil", "rlx-stablehlo"]] },
    Room {
        name: "backends",
        rows: &[
            &["rlx-mlx-sys"],
            &["rlx-aot", "rlx-cpu", "rlx-hybrid", "rlx-interpreter", "rlx-mlx", "rlx-tpu"],
            &["rlx-coreml"],
        ],
    },
    Room { name: "sessions", rows: &[&["rlx-macros", "rlx-session"]] },
    Room {
        name: "models",
        rows: &[&["rlx-flow", "rlx-optim", "rlx-tiny-model"], &["rlx-models"], &["rlx-llm", "rlx-train"]],
    },
    Room { name: "library", rows: &[&["rlx-runtime"], &["rlx"]] },
    Room { name: "tools", rows: &[&["rlx-conformance"], &["rlx-cli", "xtask"]] },
];

impl Room {
    /// The crates of the room.
    pub(crate) fn crates(&self) -> impl Iterator<Item = &'static str> {
        self.rows.iter().flat_map(|row| row.iter().copied())
    }
}

/// A message for each crate without a room, each crate in a room that does not exist, and each dependency that does not
/// point down.
pub(crate) fn broken(rooms: &[Room], manifests: &[Manifest]) -> Vec<String> {
    let rows: Vec<&[&str]> = rooms.iter().flat_map(|room| room.rows.iter().copied()).collect();
    let row_of = |name: &str| rows.iter().position(|row| row.contains(&name));
    let mut problems = Vec::new();
    let in_workspace = |m: &&Manifest| m.folder.starts_with("crates/") || m.folder == "xtask/";
    for manifest in manifests.iter().filter(in_workspace) {
        let Some(row) = row_of(&manifest.name) else {
            problems.push(format!("{}: give the crate a room in xtask/src/map/rooms.rs", manifest.name));
            continue;
        };
        for dependency in &manifest.dependencies {
            if row_of(dependency).is_some_and(|below| below >= row) {
                problems.push(format!("{} depends on {dependency}, which is not below it", manifest.name));
            }
        }
    }
    let exists = |name: &&str| !manifests.iter().any(|m| m.name == *name);
    let gone = rooms.iter().flat_map(Room::crates).filter(exists);
    problems.extend(gone.map(|name| format!("{name}: no such crate; remove it from xtask/src/map/rooms.rs")));
    problems
}

/// For each room, the rooms that it uses directly: those that its crates depend on, except those that another of these
/// rooms already uses.
pub(super) fn uses(rooms: &[Room], manifests: &[Manifest]) -> Vec<Vec<usize>> {
    let room_of = |name: &str| rooms.iter().position(|room| room.crates().any(|c| c == name));
    let mut reached: Vec<Vec<usize>> = Vec::new();
    let mut uses = Vec::new();
    for (at, room) in rooms.iter().enumerate() {
        let members = manifests.iter().filter(|m| room.crates().any(|c| c == m.name));
        let mut direct: Vec<usize> = members
            .flat_map(|m| m.dependencies.iter().filter_map(|d| room_of(d)))
            .filter(|r| *r < at)
            .collect();
        direct.sort_unstable();
        direct.dedup();
        let through = |below: &usize| direct.iter().any(|other| reached[*other].contains(below));
        let kept: Vec<usize> = direct.iter().copied().filter(|below| !through(below)).collect();
        let mut all: Vec<usize> = direct.iter().flat_map(|r| reached[*r].iter().copied()).collect();
        all.extend(&direct);
        reached.push(all);
        uses.push(kept);
    }
    uses
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUSE: &[Room] = &[
        Room { name: "ground", rows: &[&["a"]] },
        Room { name: "middle", rows: &[&["b"], &["c"]] },
        Room { name: "top", rows: &[&["d"]] },
    ];

    fn manifest(name: &str, dependencies: &[&str]) -> Manifest {
        Manifest {
            name: name.into(),
            folder: format!("crates/{name}/"),
            dependencies: dependencies.iter().map(|d| d.to_string()).collect(),
        }
    }

    #[test]
    fn dependencies_point_down() {
        let good =
            [manifest("a", &[]), manifest("b", &["a"]), manifest("c", &["b"]), manifest("d", &["a", "c"])];
        assert_eq!(broken(HOUSE, &good), [""; 0]);
        let bad =
            [manifest("a", &["b"]), manifest("b", &["serde"]), manifest("c", &["c"]), manifest("e", &[])];
        let expected = [
            "a depends on b, which is not below it",
            "c depends on c, which is not below it",
            "e: give the crate a room in xtask/src/map/rooms.rs",
            "d: no such crate; remove it from xtask/src/map/rooms.rs",
        ];
        assert_eq!(broken(HOUSE, &bad), expected);
    }

    #[test]
    fn a_room_that_is_used_through_another_one_is_left_out() {
        let manifests = [manifest("b", &["a"]), manifest("c", &["b"]), manifest("d", &["a", "c"])];
        assert_eq!(uses(HOUSE, &manifests), [vec![], vec![0], vec![1]]);
    }
}
