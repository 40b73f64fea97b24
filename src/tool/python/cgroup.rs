//! Control groups (cgroup v2) for programs. They limit the memory and processes of a whole program, if the system has
//! delegated a group to the server. Otherwise, only the limits of each process apply.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process,
    sync::Arc,
};

use parking_lot::Mutex;
use uuid::Uuid;

use super::PythonSettings;

/// Bytes that a sandbox needs in addition to the memory and files of its program.
const SANDBOX_OVERHEAD_BYTES: u64 = 64 * 1024 * 1024;

/// Creates the control groups of programs.
#[derive(Debug, Clone)]
pub(super) struct ControlGroups {
    folder: PathBuf,
    max_bytes: u64,
    max_processes: u64,
    left: LeftoverGroups,
}

/// Groups that could not be removed yet because their processes had not fully exited.
type LeftoverGroups = Arc<Mutex<Vec<PathBuf>>>;

/// Control group of one program. Dropping it kills all processes in the group.
pub(super) struct ControlGroup {
    folder: PathBuf,
    left: LeftoverGroups,
}

impl ControlGroups {
    /// Creates the group that will contain the groups of programs, below the server's own group.
    ///
    /// # Errors
    /// Fails with the reason if the server's group is not delegated with the memory and process controllers.
    pub(super) fn delegated(settings: &PythonSettings) -> Result<Self, String> {
        let membership = fs::read_to_string("/proc/self/cgroup").map_err(|error| error.to_string())?;
        let path = membership.lines().find_map(|line| line.strip_prefix("0::/")).ok_or("there is no cgroup v2")?;
        // An earlier call has moved the server into the `server` group.
        let path = path.strip_suffix("server").map_or(path, |path| path.trim_end_matches('/'));
        let own = Path::new("/sys/fs/cgroup").join(path);
        let delegated = ["user.delegate", "trusted.delegate"].iter().any(|name| {
            let mut value = [0_u8; 8];
            rustix::fs::getxattr(&own, *name, &mut value).is_ok_and(|length| &value[..length] == b"1")
        });
        // In a container, the root group is the container's own, so it needs no delegation.
        if !delegated && !path.is_empty() {
            return Err("the server's control group is not delegated (Delegate=memory pids)".into());
        }
        Self::below(&own, settings).map_err(|error| error.to_string())
    }

    fn below(own: &Path, settings: &PythonSettings) -> io::Result<Self> {
        const BOTH: &str = "+memory +pids";
        let controllers = fs::read_to_string(own.join("cgroup.controllers"))
            .map_err(|_| io::Error::other("there is no cgroup v2 in /sys/fs/cgroup"))?;
        if !["memory", "pids"].iter().all(|wanted| controllers.split_whitespace().any(|there| there == *wanted)) {
            return Err(io::Error::other("the control group has no memory and pids controllers"));
        }
        // A group whose child groups have limits must not contain processes itself.
        let (server, folder) = (own.join("server"), own.join("programs"));
        fs::create_dir_all(&server)?;
        fs::create_dir_all(&folder)?;
        fs::write(server.join("cgroup.procs"), process::id().to_string())?;
        fs::write(own.join("cgroup.subtree_control"), BOTH)?;
        fs::write(folder.join("cgroup.subtree_control"), BOTH)?;
        let max_bytes = settings.max_memory_bytes + settings.max_disk_bytes + SANDBOX_OVERHEAD_BYTES;
        Ok(Self { folder, max_bytes, max_processes: settings.max_processes + 1, left: LeftoverGroups::default() })
    }

    /// Creates a group for one program, with its limits.
    pub(super) fn create(&self) -> io::Result<ControlGroup> {
        self.left.lock().retain(|left| fs::remove_dir(left).is_err());
        let group = ControlGroup { folder: self.folder.join(Uuid::now_v7().to_string()), left: self.left.clone() };
        fs::create_dir(&group.folder)?;
        group.set("memory.max", self.max_bytes)?;
        group.set("pids.max", self.max_processes)?;
        group.set("memory.oom.group", 1)?;
        // This fails on machines without swap.
        let _ = group.set("memory.swap.max", 0);
        Ok(group)
    }
}

impl ControlGroup {
    /// Moves the process with this id into the group. Processes that it starts later are in the group too.
    pub(super) fn add_process(&self, process: u32) -> io::Result<()> {
        self.set("cgroup.procs", process.into())
    }

    fn set(&self, name: &str, value: u64) -> io::Result<()> {
        fs::write(self.folder.join(name), value.to_string())
    }
}

impl Drop for ControlGroup {
    fn drop(&mut self) {
        let _ = self.set("cgroup.kill", 1);
        if fs::remove_dir(&self.folder).is_err() {
            self.left.lock().push(std::mem::take(&mut self.folder));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_gets_a_group_with_its_bounds() {
        let own = tempfile::tempdir().expect("a temporary folder");
        let settings = PythonSettings {
            max_memory_bytes: 100 << 20,
            max_disk_bytes: 20 << 20,
            max_processes: 7,
            ..PythonSettings::default()
        };
        fs::write(own.path().join("cgroup.controllers"), "cpu memory").expect("the write succeeds");
        assert!(ControlGroups::below(own.path(), &settings).is_err(), "it cannot limit processes");
        fs::write(own.path().join("cgroup.controllers"), "cpu memory pids\n").expect("the write succeeds");
        let groups = ControlGroups::below(own.path(), &settings).expect("the group is delegated");
        let read = |path: &Path| fs::read_to_string(path).expect("the file was written");
        assert_eq!(read(&own.path().join("server/cgroup.procs")), process::id().to_string());
        assert_eq!(read(&own.path().join("programs/cgroup.subtree_control")), "+memory +pids");
        let group = groups.create().expect("the group is created");
        group.add_process(42).expect("the process is moved");
        let values =
            ["memory.max", "pids.max", "memory.oom.group", "cgroup.procs"].map(|name| read(&group.folder.join(name)));
        assert_eq!(values, [(184_u64 << 20).to_string(), "8".into(), "1".into(), "42".into()]);
    }
}
