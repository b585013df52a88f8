#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

// Mount system calls.

namespace proa::kubelet {

// Whether something is mounted at exactly that path. False if the path does not exist.
Result<bool> is_mount_point(const std::string& path);

// The page size of the hugetlbfs mounted there; zero if it is something else.
int64_t huge_page_size_at(const std::string& path);
bool is_tmpfs(const std::string& path);

// Mounts a tmpfs; without swap if the kernel supports that. `bytes`: zero for the kernel's default
// size.
Result<void> mount_tmpfs(const std::string& folder, int64_t bytes);
Result<void> mount_huge_pages(const std::string& folder, const std::string& page_size);

// Bind-mounts what `source` is a descriptor of at `target`, without the mounts below it.
Result<void> bind_mount(int source, const std::string& target);
// Adds flags (MS_RDONLY, MS_NOEXEC ...) to those of a bind mount.
Result<void> restrict_bind(const std::string& target, unsigned long flags);

// Unmounts `root`/`path`, lazily if it is in use. `path` is resolved without links, whatever
// changes meanwhile. What is not mounted is no failure.
Result<void> unmount_inside(const std::string& root, const std::string& path);

}  // namespace proa::kubelet
