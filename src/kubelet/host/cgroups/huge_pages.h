#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/files.h"
#include "kinds/core/resources/resources.h"

namespace proa::kubelet {

// The sizes of huge pages that this machine has, as the kernel's cgroups and CRI name them: "2MB".
// None where there is no such thing.
std::vector<std::string> read_huge_page_sizes(Files& files);

// What may be used of each size, in bytes. Sizes that can't be written as whole units are left out.
std::map<std::string, int64_t> huge_page_limits(const kinds::pods::Amounts& amounts);

}  // namespace proa::kubelet
