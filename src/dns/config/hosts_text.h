#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dns/config/settings.h"

namespace proa::dns {

// The names of one line of an /etc/hosts: "10.0.0.1 a b.example". What is wrong is added to
// `problems` as an error that begins with `where`.
void read_host_line(std::span<const std::string_view> line, std::string_view where,
                    std::vector<HostEntry>& entries, Problems& problems);

// A whole file, with comments.
void read_hosts_text(std::string_view text, std::string_view where, std::vector<HostEntry>& entries,
                     Problems& problems);

}  // namespace proa::dns
