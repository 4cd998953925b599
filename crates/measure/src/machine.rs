//! The machine that took the measurements: times mean nothing without it.

use std::fs;

/// Properties of the machine that are available without privileges.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Machine {
    /// Name of the processor, or its architecture if the name is unknown.
    pub cpu: String,
    /// Logical cores available to this program.
    pub cores: usize,
    /// Supported vector instruction sets: `avx2`, `fma`, `avx512f`, `neon`, ...
    pub features: Vec<&'static str>,
    /// Operating system, and its version if known.
    pub os: String,
    /// `release` or `debug`. Timings of debug builds mean little.
    pub build: &'static str,
}

impl Machine {
    /// The current machine.
    pub fn here() -> Self {
        Machine {
            cpu: cpu_name().unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            features: features(),
            os: os_name(),
            build: if cfg!(debug_assertions) { "debug" } else { "release" },
        }
    }

    /// One line of text, for the end of a report.
    pub fn line(&self) -> String {
        let cores = if self.cores == 1 { "1 core".to_owned() } else { format!("{} cores", self.cores) };
        format!("{}, {cores}, {}; {}; {} build", self.cpu, self.features.join(" "), self.os, self.build)
    }
}

/// The model name from `/proc/cpuinfo`, which many ARM processors lack.
fn cpu_name() -> Option<String> {
    let list = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = list.lines().find(|line| line.starts_with("model name"))?;
    let (_, name) = line.split_once(':')?;
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    (!name.is_empty()).then_some(name)
}

fn os_name() -> String {
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!("{} {}", std::env::consts::OS, kernel.trim()).trim_end().to_owned()
}

#[cfg(target_arch = "x86_64")]
fn features() -> Vec<&'static str> {
    let known = [
        ("sse4.2", is_x86_feature_detected!("sse4.2")),
        ("avx", is_x86_feature_detected!("avx")),
        ("avx2", is_x86_feature_detected!("avx2")),
        ("fma", is_x86_feature_detected!("fma")),
        ("avx512f", is_x86_feature_detected!("avx512f")),
    ];
    known.into_iter().filter_map(|(name, present)| present.then_some(name)).collect()
}

#[cfg(target_arch = "aarch64")]
fn features() -> Vec<&'static str> {
    if std::arch::is_aarch64_feature_detected!("neon") { vec!["neon"] } else { Vec::new() }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn features() -> Vec<&'static str> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_machine_has_a_description() {
        let machine = Machine::here();
        assert!(!machine.cpu.is_empty() && !machine.os.is_empty() && machine.cores >= 1);
        assert!(!machine.line().contains('\n'));
    }
}
