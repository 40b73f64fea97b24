//! Control groups (cgroup v2) for programs: memory and processes of each are bounded together, where the system has
//! delegated a group to the server. Elsewhere the limits of each process alone are in force.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process,
    sync::Arc,
};

use parking_lot::Mutex;
use uuid::Uuid;

use super::PythonSettings;

/// Bytes that a sandbox needs besides the memory and the files of its program.
const OVERHEAD: u64 = 64 * 1024 * 1024;

/// Where the groups of programs are made.
#[derive(Debug, Clone)]
pub(super) struct Groups {
    folder: PathBuf,
    max_bytes: u64,
    max_processes: u64,
    left: Left,
}

/// Groups that could not be removed yet: what was in them was not quite gone.
type Left = Arc<Mutex<Vec<PathBuf>>>;

/// The group of one program. With this it ends, and whatever is in it.
pub(super) struct Group {
    folder: PathBuf,
    left: Left,
}

impl Groups {
    /// Below the server's own group, if that is delegated with memory and processes; or why there are none.
    pub(super) fn delegated(settings: &PythonSettings) -> Result<Self, String> {
        let membership = fs::read_to_string("/proc/self/cgroup").map_err(|error| error.to_string())?;
        let path = membership.lines().find_map(|line| line.strip_prefix("0::/")).ok_or("there is no cgroup v2")?;
        // Of a server that has moved itself before.
        let path = path.strip_suffix("server").map_or(path, |path| path.trim_end_matches('/'));
        let own = Path::new("/sys/fs/cgroup").join(path);
        let delegated = ["user.delegate", "trusted.delegate"].iter().any(|name| {
            let mut value = [0_u8; 8];
            rustix::fs::getxattr(&own, *name, &mut value).is_ok_and(|length| &value[..length] == b"1")
        });
        // The root that a container sees was made for it.
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
            return Err(io::Error::other("the control group has no memory and pids"));
        }
        // A group with groups in it that are bounded has no processes itself.
        let (server, folder) = (own.join("server"), own.join("programs"));
        fs::create_dir_all(&server)?;
        fs::create_dir_all(&folder)?;
        fs::write(server.join("cgroup.procs"), process::id().to_string())?;
        fs::write(own.join("cgroup.subtree_control"), BOTH)?;
        fs::write(folder.join("cgroup.subtree_control"), BOTH)?;
        const MIB: u64 = 1024 * 1024;
        let max_bytes = (settings.memory_mib + settings.disk_mib) * MIB + OVERHEAD;
        Ok(Self { folder, max_bytes, max_processes: settings.processes + 1, left: Left::default() })
    }

    /// A group for one program, with its bounds.
    pub(super) fn create(&self) -> io::Result<Group> {
        self.left.lock().retain(|left| fs::remove_dir(left).is_err());
        let group = Group { folder: self.folder.join(Uuid::now_v7().to_string()), left: self.left.clone() };
        fs::create_dir(&group.folder)?;
        group.set("memory.max", self.max_bytes)?;
        group.set("pids.max", self.max_processes)?;
        group.set("memory.oom.group", 1)?;
        // Not on machines without swap.
        let _ = group.set("memory.swap.max", 0);
        Ok(group)
    }
}

impl Group {
    /// Have this process in it, and what it starts from now on.
    pub(super) fn take_in(&self, process: u32) -> io::Result<()> {
        self.set("cgroup.procs", process.into())
    }

    fn set(&self, name: &str, value: u64) -> io::Result<()> {
        fs::write(self.folder.join(name), value.to_string())
    }
}

impl Drop for Group {
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
        let own = tempfile::tempdir().expect("makes a folder");
        let settings = PythonSettings { memory_mib: 100, disk_mib: 20, processes: 7, ..PythonSettings::default() };
        fs::write(own.path().join("cgroup.controllers"), "cpu memory").expect("writes");
        assert!(Groups::below(own.path(), &settings).is_err(), "it cannot bound processes");
        fs::write(own.path().join("cgroup.controllers"), "cpu memory pids\n").expect("writes");
        let groups = Groups::below(own.path(), &settings).expect("is delegated");
        let read = |path: &Path| fs::read_to_string(path).expect("was written");
        assert_eq!(read(&own.path().join("server/cgroup.procs")), process::id().to_string());
        assert_eq!(read(&own.path().join("programs/cgroup.subtree_control")), "+memory +pids");
        let group = groups.create().expect("is made");
        group.take_in(42).expect("is taken in");
        let values =
            ["memory.max", "pids.max", "memory.oom.group", "cgroup.procs"].map(|name| read(&group.folder.join(name)));
        assert_eq!(values, [(184_u64 << 20).to_string(), "8".into(), "1".into(), "42".into()]);
    }
}
