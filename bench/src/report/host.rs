use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// The date in UTC.
pub(super) fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (year, month, day) = civil((seconds / 86_400) as i64);
    format!("{year:04}-{month:02}-{day:02}")
}

/// The machine, without its name.
pub(super) fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let system = if cfg!(target_os = "linux") { "Linux" } else { std::env::consts::OS };
    format!("{cores} shared cores, {system} {}", std::env::consts::ARCH.replace('_', "-"))
}

/// The compiler's name and version.
pub(super) fn compiler() -> String {
    let output = Command::new("rustc").arg("--version").output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let words: Vec<&str> = text.split_whitespace().take(2).collect();
    if words.len() == 2 { words.join(" ") } else { "rustc".to_owned() }
}

/// The civil date of a day since 1970, by eras of 400 years that start in March.
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}
