//! Generates the page of all settings: `docs/training-configuration.md`, which `rlx train --settings` also prints.

use rlx_optim::Error;
use rlx_train::{Optimizer, Schedule};

use super::config::{SECTIONS, Section};
use super::setting::{Change, Need};

/// The page of all settings.
pub fn page() -> String {
    let mut page = String::from(
        "# Training configuration\n\nThe settings in the TOML file of `rlx train`. A setting without a default is required. \
         The last column says what happens if the setting has changed when a run continues: it would be a different run, \
         which is an error; the change is reported; or the setting is not compared. [Training](training.md) has examples.\n",
    );
    for Section { table, kind, about, settings } in SECTIONS {
        let kind = kind.map(|kind| format!(", `kind = \"{kind}\"`")).unwrap_or_default();
        page.push_str(&format!("\n## [{table}]{kind}\n\n{}\n\n", about.trim()));
        page.push_str("| setting | type | unit | default | meaning | changed |\n|---|---|---|---|---|---|\n");
        for row in *settings {
            let default = match row.need {
                Need::Required => "–".to_string(),
                Need::Or(other) => other.to_string(),
                Need::Default(value) => format!("`{}`", value()),
            };
            let unit = if row.unit.is_empty() { "–" } else { row.unit };
            let changed = match row.change {
                Change::Never => "error",
                Change::Said => "reported",
                Change::InPart => "error for another optimizer; its settings: reported",
                Change::Free => "not compared",
            };
            let (name, expected, doc) = (row.name, row.expected(), row.doc.trim());
            page.push_str(&format!("| `{name}` | {expected} | {unit} | {default} | {doc} | {changed} |\n"));
        }
    }
    page.push_str(
        "\n## Optimizers\n\nThe values of `optimizer.name`. Only settings that are not the default need to be written: \
         `adamw(weight_decay=0.1)`.\n\n| optimizer | meaning |\n|---|---|\n",
    );
    for (optimizer, doc) in Optimizer::all() {
        let form = form(optimizer.name(), optimizer.settings(), |text| text.parse::<Optimizer>().err());
        page.push_str(&format!("| `{form}` | {} |\n", doc.trim()));
    }
    page.push_str(
        "\n## Schedules\n\nThe values of `optimizer.schedule`. Values marked `?` are required. `steps=run` is the length of the run, or up to \
         the next schedule of a `join`, unless it is given.\n\n| schedule | meaning |\n|---|---|\n",
    );
    for (schedule, doc) in Schedule::all() {
        let refused = |text: &str| Schedule::of_training(text, 1).err();
        let mut form = form(schedule.name(), schedule.settings(), refused);
        if schedule.length().is_some() {
            form = form.replace("steps=?", "steps=run");
        }
        page.push_str(&format!("| `{form}` | {} |\n", doc.trim()));
    }
    page
}

/// An optimizer or a schedule with its defaults, as in a configuration. `?` marks a setting whose default is invalid,
/// so that a value is required.
fn form(
    name: &str,
    settings: Vec<(&'static str, String)>,
    refused: impl Fn(&str) -> Option<Error>,
) -> String {
    let written = |(setting, value): (&'static str, String)| {
        let error = refused(&format!("{name}({setting}={value})"));
        let known = !matches!(error, Some(Error::Setting { setting: of, .. }) if of == setting);
        format!("{setting}={}", if known { &value } else { "?" })
    };
    format!("{name}({})", settings.into_iter().map(written).collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_page_in_the_docs_is_this_one() {
        expect_test::expect_file!["../../../../docs/training-configuration.md"].assert_eq(&super::page());
    }
}
