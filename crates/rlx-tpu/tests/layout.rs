//! Our declarations of the C API against its header: every offset, every size, every place in the table of functions, and
//! the numbers of the element types. The header comes with the plugin; without it a few known figures are checked.

mod plugins;

use rlx_tpu::ffi::{Function, Layout, Table, layouts};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// A C program that prints a line for each size and offset, as the header has them.
fn probe(layouts: &[Layout]) -> String {
    let mut c = String::from("#include <stdio.h>\n#include \"pjrt_c_api.h\"\nint main(void) {\n");
    for layout in layouts {
        let name = layout.name;
        writeln!(c, r#"printf("{name} %zu\n", (size_t){name}_STRUCT_SIZE);"#).expect("text");
        for (field, _) in &layout.fields {
            // The alternatives of a union lie at one place; ours is named after the one that is used.
            writeln!(c, r#"printf("{name}.{field} %zu\n", offsetof({name}, {}));"#, c_field(field))
                .expect("text");
        }
    }
    for function in Function::ALL {
        let name = function.name();
        writeln!(c, r#"printf("{name} %zu\n", offsetof(PJRT_Api, {name}));"#).expect("text");
    }
    writeln!(c, r#"printf("PJRT_Api %zu\n", sizeof(PJRT_Api));"#).expect("text");
    c + "return 0; }\n"
}

fn c_field(field: &str) -> &str {
    field.strip_prefix("r#").unwrap_or(field)
}

/// What we have, in the words of the program.
fn ours(layouts: &[Layout]) -> String {
    let mut text = String::new();
    for Layout { name, size, fields } in layouts {
        writeln!(text, "{name} {size}").expect("text");
        for (field, offset) in fields {
            writeln!(text, "{name}.{field} {offset}").expect("text");
        }
    }
    for function in Function::ALL {
        writeln!(text, "{} {}", function.name(), Table::offset(*function)).expect("text");
    }
    writeln!(text, "PJRT_Api {}", size_of::<Table>()).expect("text");
    text
}

#[test]
fn every_offset_is_the_headers() {
    let name = "every_offset_is_the_headers";
    let Some(plugin) = plugins::named(name) else { return };
    let include = plugin.parent().unwrap_or(Path::new("")).join("include");
    if !include.join("pjrt_c_api.h").is_file() {
        return plugins::skip(name, &format!("no header beside {}", plugin.display()));
    }
    let folder = tempfile::tempdir().expect("a folder");
    let (source, program) = (folder.path().join("probe.c"), folder.path().join("probe"));
    let layouts = layouts();
    std::fs::write(&source, probe(&layouts)).expect("a file");
    let compiled = Command::new("cc").arg("-I").arg(&include).arg(&source).arg("-o").arg(&program).output();
    let Ok(compiled) = compiled else {
        return plugins::skip(name, "no C compiler");
    };
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let printed = Command::new(&program).output().expect("the program runs").stdout;
    assert_eq!(ours(&layouts), String::from_utf8_lossy(&printed));
}

/// Figures of API 0.81 on a system of 64 bits, as that program prints them.
#[test]
#[cfg(target_pointer_width = "64")]
fn known_sizes_and_places() {
    let size = |name: &str| layouts().iter().find(|l| l.name == name).map(|l| l.size);
    assert_eq!(size("PJRT_Client_Create_Args"), Some(88));
    assert_eq!(size("PJRT_Client_BufferFromHostBuffer_Args"), Some(120));
    assert_eq!(size("PJRT_LoadedExecutable_Execute_Args"), Some(80));
    assert_eq!(size("PJRT_ExecuteOptions"), Some(112));
    assert_eq!(size("PJRT_NamedValue"), Some(56));
    assert_eq!(size("PJRT_Error_GetCode_Args"), Some(28));
    assert_eq!(Table::offset(Function::Error_Destroy), 40);
    assert_eq!(Table::offset(Function::Compile), 752);
}
