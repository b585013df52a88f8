#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

// What the kernel is asked to mount and to unmount.

namespace proa::kubelet {

// Whether something is mounted right there. False when there is nothing at all.
Result<bool> is_mount_point(const std::string& path);

// The page size of a hugetlbfs that is mounted there; zero when it is something else.
int64_t huge_page_size_at(const std::string& path);
bool is_tmpfs(const std::string& path);

// Never swapped out, where the kernel knows how. `bytes`: zero for the kernel's own limit.
Result<void> mount_tmpfs(const std::string& folder, int64_t bytes);
Result<void> mount_huge_pages(const std::string& folder, const std::string& page_size);

// What `source` is a descriptor of appears at `target` as well; not what is mounted below it.
Result<void> bind_mount(int source, const std::string& target);
// Changes flags (MS_RDONLY, MS_NOEXEC ...) of a bind, besides those that it has already.
Result<void> restrict_bind(const std::string& target, unsigned long flags);

// What is mounted on `root`/`path`; `path` goes over no link, whoever changes it meanwhile. Where
// somebody still uses it, it goes away once he has ended. What is not mounted (any more) is fine.
Result<void> unmount_inside(const std::string& root, const std::string& path);

}  // namespace proa::kubelet
