//! Properties of the machine that affect step times: processor, kernel, frequency control, isolated CPUs.
//!
//! Read from files of the Linux kernel; missing values are omitted, on other systems all of them. The kernel
//! documentation describes the files: `admin-guide/kernel-parameters`, `admin-guide/pm/cpufreq`,
//! `scheduler/sched-rt-group`.

use serde::Serialize;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// `machine` of `bench --realtime --json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Machine {
    /// Operating system and instruction set, like `linux x86_64`.
    pub platform: String,
    /// Name of the processor.
    pub processor: Option<String>,
    /// Whether the processor reports a hypervisor; `None` if it cannot report one.
    pub virtual_machine: Option<bool>,
    /// Release of the kernel.
    pub kernel: Option<String>,
    /// Whether the kernel is built with PREEMPT_RT.
    pub preempt_rt: Option<bool>,
    /// Frequency governors of the CPUs that the thread may run on; empty where the kernel does not control the
    /// frequency.
    pub governors: Vec<String>,
    /// CPUs excluded from scheduling (boot option `isolcpus`), such as `2-3`; empty if none.
    pub isolated_cpus: Option<String>,
    /// CPUs without a periodic tick (boot option `nohz_full`); empty if none.
    pub nohz_full_cpus: Option<String>,
    /// Computing time of real-time threads per scheduler period, in µs; −1 for no limit.
    pub realtime_runtime_us: Option<i64>,
}

impl Machine {
    /// This machine; `cpus` are the CPUs allowed for the thread.
    pub fn here(cpus: &[usize]) -> Machine {
        Machine::below(Path::new("/"), cpus)
    }

    /// The machine with kernel files below `root`.
    fn below(root: &Path, cpus: &[usize]) -> Machine {
        let read = |path: &str| fs::read_to_string(root.join(path)).ok().map(|text| text.trim().to_string());
        let information = read("proc/cpuinfo");
        let field = |name: &str| {
            let lines = information.iter().flat_map(|text| text.lines());
            let mut fields = lines.filter_map(|line| line.split_once(':'));
            fields.find(|(key, _)| key.trim() == name).map(|(_, value)| value.trim().to_string())
        };
        // A kernel with PREEMPT_RT has the file; older kernels only have it in their version.
        let preempt_rt = match read("sys/kernel/realtime") {
            Some(text) => Some(text == "1"),
            None => read("proc/sys/kernel/version").map(|version| version.contains("PREEMPT_RT")),
        };
        let governor = |cpu: &usize| read(&format!("sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor"));
        let governors: BTreeSet<String> = cpus.iter().filter_map(governor).collect();
        Machine {
            platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            processor: field("model name"),
            virtual_machine: field("flags").map(|flags| flags.split_whitespace().any(|flag| flag == "hypervisor")),
            kernel: read("proc/sys/kernel/osrelease"),
            preempt_rt,
            governors: governors.into_iter().collect(),
            isolated_cpus: read("sys/devices/system/cpu/isolated"),
            nohz_full_cpus: read("sys/devices/system/cpu/nohz_full").map(|cpus| cpus.replace("(null)", "")),
            realtime_runtime_us: read("proc/sys/kernel/sched_rt_runtime_us").and_then(|text| text.parse().ok()),
        }
    }

    /// Description in one or two lines.
    pub fn words(&self) -> String {
        let mut first = vec![self.processor.clone().unwrap_or_else(|| "unknown processor".to_string())];
        if self.virtual_machine == Some(true) {
            first.push("virtual machine".to_string());
        }
        first.push(match &self.kernel {
            Some(kernel) => format!("{}, kernel {kernel}", self.platform),
            None => self.platform.clone(),
        });
        first.extend(self.preempt_rt.map(|yes| if yes { "PREEMPT_RT" } else { "not PREEMPT_RT" }.to_string()));
        let cpus = |name: &str, cpus: &Option<String>| {
            let cpus = cpus.as_ref()?;
            Some(format!("{name} {}", if cpus.is_empty() { "none" } else { cpus }))
        };
        let mut second: Vec<String> = Vec::new();
        if self.kernel.is_some() {
            second.push(match self.governors.as_slice() {
                [] => "Frequency governor not visible".to_string(),
                governors => format!("Frequency governor {}", governors.join(" and ")),
            });
        }
        second.extend(cpus("isolated CPUs", &self.isolated_cpus));
        second.extend(cpus("CPUs without tick", &self.nohz_full_cpus));
        if let Some(runtime @ 0..) = self.realtime_runtime_us {
            second.push(format!("real-time threads limited to {runtime} µs per scheduler period"));
        }
        let second = if second.is_empty() { String::new() } else { format!("{}.\n", second.join(", ")) };
        format!("Machine: {}.\n{second}", first.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    #[test]
    fn a_machine_that_is_prepared_is_told_from_one_that_is_not() {
        let prepared = tree(&[
            ("proc/cpuinfo", "processor\t: 0\nmodel name\t: Some CPU @ 3 GHz\nflags\t\t: fpu sse2\n"),
            ("proc/sys/kernel/osrelease", "6.1.0-rt\n"),
            ("proc/sys/kernel/version", "#1 SMP PREEMPT_RT Debian\n"),
            ("proc/sys/kernel/sched_rt_runtime_us", "-1\n"),
            ("sys/kernel/realtime", "1\n"),
            ("sys/devices/system/cpu/isolated", "2-3\n"),
            ("sys/devices/system/cpu/nohz_full", "2-3\n"),
            ("sys/devices/system/cpu/cpu2/cpufreq/scaling_governor", "performance\n"),
            ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n"),
        ]);
        let machine = Machine::below(prepared.path(), &[2]);
        let words = machine.words();
        assert_eq!((machine.preempt_rt, machine.virtual_machine), (Some(true), Some(false)));
        assert_eq!(machine.governors, ["performance"], "that of the CPU in use");
        for expected in
            ["Some CPU @ 3 GHz", "kernel 6.1.0-rt, PREEMPT_RT", "Frequency governor performance", "isolated CPUs 2-3"]
        {
            assert!(words.contains(expected), "{expected} in {words}");
        }
        assert!(!words.contains("virtual machine") && !words.contains("µs of every period"), "{words}");

        let guest = tree(&[
            ("proc/cpuinfo", "model name: Guest\nflags: fpu hypervisor\n"),
            ("proc/sys/kernel/osrelease", "6.1.0\n"),
            ("proc/sys/kernel/version", "#1 SMP PREEMPT_DYNAMIC\n"),
            ("proc/sys/kernel/sched_rt_runtime_us", "950000\n"),
            ("sys/devices/system/cpu/isolated", "\n"),
            ("sys/devices/system/cpu/nohz_full", "(null)\n"),
        ]);
        let words = Machine::below(guest.path(), &[0, 1]).words();
        for expected in [
            "Guest, virtual machine",
            "not PREEMPT_RT",
            "Frequency governor not visible, isolated CPUs none, CPUs without tick none, real-time threads limited to \
             950000 µs",
        ] {
            assert!(words.contains(expected), "{expected} in {words}");
        }
    }

    #[test]
    fn a_system_that_tells_nothing_leaves_it_out() {
        let machine = Machine::below(tree(&[]).path(), &[0]);
        assert_eq!(machine, Machine { platform: machine.platform.clone(), ..Machine::default() });
        assert_eq!(machine.words(), format!("Machine: unknown processor, {}.\n", machine.platform));
    }
}
