#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/files.h"
#include "kinds/core/resources/resources.h"

namespace proa::kubelet {

// The huge page sizes of this machine, in the notation of cgroups and CRI: "2MB". None if it has no
// huge pages.
std::vector<std::string> read_huge_page_sizes(Files& files);

// The limit of each size, in bytes. Sizes that cannot be written in whole units are left out.
std::map<std::string, int64_t> huge_page_limits(const kinds::pods::Amounts& amounts);

}  // namespace proa::kubelet
