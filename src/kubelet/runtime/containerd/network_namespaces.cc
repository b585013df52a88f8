#include "kubelet/runtime/containerd/network_namespaces.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <net/if.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

namespace proa::kubelet {
namespace network_namespaces {

// Whether a pod has a network in it, or that is unknown.
bool has_network(int name_space) {
  bool found = true;
  // The namespace of a thread that exits afterwards.
  std::jthread([name_space, &found] {
    if (setns(name_space, CLONE_NEWNET) != 0) return;
    struct if_nameindex* links = if_nameindex();
    if (links == nullptr) return;
    found = links[0].if_index != 0 && links[1].if_index != 0;
    if_freenameindex(links);
  }).join();
  return found;
}

// A plain file is one where nothing was mounted on yet.
Result<bool> is_unused(const std::string& path) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file.valid()) return errno_status("opening " + path, errno);
  struct statfs info {};
  if (fstatfs(file.get(), &info) != 0) return errno_status("reading the state of " + path, errno);
  return info.f_type != NSFS_MAGIC || !has_network(file.get());
}

}  // namespace network_namespaces

Result<size_t> remove_unused_namespaces(Files& files, const std::string& folder) {
  const auto names = files.list(folder);
  if (names.is(Reason::kNotFound)) return size_t{0};
  if (!names.ok()) return names.status();
  size_t removed = 0;
  for (const std::string& name : *names) {
    const std::string path = folder + "/" + name;
    const bool unused = TRY(network_namespaces::is_unused(path));
    if (!unused) continue;
    if (umount2(path.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW) != 0 && errno != EINVAL) {
      return errno_status("unmounting " + path, errno);
    }
    TRY(files.remove(path));
    ++removed;
  }
  return removed;
}

}  // namespace proa::kubelet
