#include "dns/config/hosts_text.h"

#include <fmt/format.h>

#include "base/strings.h"
#include "base/text/words.h"
#include "dns/config/names.h"

namespace proa::dns {

void read_host_line(std::span<const std::string_view> line, std::string_view where,
                    std::vector<HostEntry>& entries, Problems& problems) {
  if (line.empty()) return;
  const auto address = parse_ip(line.front());
  if (!address) {
    problems.errors.push_back(fmt::format("{}: \"{}\" is not an IP address", where, line.front()));
    return;
  }
  if (line.size() < 2) {
    problems.errors.push_back(fmt::format("{}: {} has no names", where, line.front()));
    return;
  }
  HostEntry entry{.address = *address};
  for (const std::string_view name : line.subspan(1)) {
    auto parsed = parse_zone(name);
    if (!parsed || *parsed == ".") {
      problems.errors.push_back(fmt::format("{}: \"{}\" is not a domain name", where, name));
      continue;
    }
    entry.names.push_back(std::move(*parsed));
  }
  if (!entry.names.empty()) entries.push_back(std::move(entry));
}

void read_hosts_text(std::string_view text, std::string_view where, std::vector<HostEntry>& entries,
                     Problems& problems) {
  size_t number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    line = line.substr(0, line.find('#'));
    read_host_line(words(line), fmt::format("{} line {}", where, number), entries, problems);
  }
}

}  // namespace proa::dns
