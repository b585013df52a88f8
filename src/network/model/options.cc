#include "network/model/options.h"

#include "network/model/hash.h"

namespace proa::network {
namespace options {

constexpr std::string_view kNames[] = {"auto", "routes", "vxlan", "none"};
constexpr uint32_t kLeastMetric = 0x10000;
constexpr uint32_t kMetrics = 0x100000;

}  // namespace options

std::optional<Mode> parse_mode(std::string_view text) {
  for (size_t i = 0; i < std::size(options::kNames); ++i) {
    if (text == options::kNames[i]) return static_cast<Mode>(i);
  }
  return std::nullopt;
}

std::string_view mode_name(Mode mode) { return options::kNames[static_cast<size_t>(mode)]; }

uint32_t route_metric(const NetworkOptions& options) {
  return options::kLeastMetric +
         static_cast<uint32_t>(name_hash(options.bridge) % options::kMetrics);
}

std::string table_name(const NetworkOptions& options) {
  const std::string name = "proa-network";
  return options.bridge == NetworkOptions{}.bridge ? name : name + "-" + options.bridge;
}

}  // namespace proa::network
