#include "kubelet/host/cgroups/huge_pages.h"

#include <fmt/format.h>

#include <array>

#include "base/strings.h"

namespace proa::kubelet {
namespace huge_pages {

constexpr std::string_view kPrefix = "hugepages-";

// Empty if the size is not a whole number of its largest unit.
std::string size_name(int64_t bytes) {
  constexpr std::array<std::string_view, 6> kUnits{"B", "KB", "MB", "GB", "TB", "PB"};
  if (bytes <= 0) return {};
  size_t unit = 0;
  for (; bytes % 1024 == 0 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
  if (bytes > 1024 && unit + 1 < kUnits.size()) return {};
  return fmt::format("{}{}", bytes, kUnits[unit]);
}

}  // namespace huge_pages

std::vector<std::string> read_huge_page_sizes(Files& files) {
  std::vector<std::string> sizes;
  const auto names = files.list("/sys/kernel/mm/hugepages");
  if (!names) return sizes;
  for (std::string_view name : *names) {  // "hugepages-2048kB"
    if (!name.starts_with(huge_pages::kPrefix) || !name.ends_with("kB")) continue;
    name.remove_prefix(huge_pages::kPrefix.size());
    name.remove_suffix(2);
    const std::optional<int64_t> kilobytes = parse_int(name);
    if (!kilobytes || *kilobytes <= 0 || *kilobytes > (int64_t{1} << 40)) continue;
    sizes.push_back(huge_pages::size_name(*kilobytes * 1024));
  }
  return sizes;
}

std::map<std::string, int64_t> huge_page_limits(const kinds::pods::Amounts& amounts) {
  std::map<std::string, int64_t> limits;
  for (const auto& [name, quantity] : amounts) {
    if (!kinds::pods::is_huge_page_resource(name)) continue;
    const auto size = api::Quantity::parse(name.substr(huge_pages::kPrefix.size()));
    if (!size) continue;
    const std::string size_name = huge_pages::size_name(size->value());
    // "hugepages-2Mi" and "hugepages-2048Ki" are the same pages.
    if (!size_name.empty()) limits[size_name] += quantity.value();
  }
  return limits;
}

}  // namespace proa::kubelet
